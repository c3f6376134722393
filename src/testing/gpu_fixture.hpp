// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A test on a real device (the software driver, in ./dev test) under the validation layer with synchronisation
// validation. Any message of the layer, at any time until instance and device are destroyed, fails the test.
//
//   TEST_F(MyTest, CopiesABuffer) {   // using MyTest = slipway::testing::GpuTest;
//     const gpu::Device& d = device();
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "gpu/commands/commands.hpp"
#include "gpu/device/device.hpp"

namespace slipway::testing {

class GpuTest : public ::testing::Test {
 protected:
  GpuTest();
  ~GpuTest() override;
  void TearDown() override;

  // Enables names and labels for debugging tools. Call it before anything else.
  void use_debug_names() { options_.debug_names = true; }

  const gpu::Instance& instance();
  const vk::Snapshot& snapshot();
  // The first call creates the device, which then lives until the end of the test.
  const gpu::Device& device(const vk::Needs& needs = {.graphics = true, .blit = true, .timestamps = true},
                            const gpu::DeviceOptions& options = {});
  // Like device(), but returns a failure as a result; destroys the previous device.
  Result<> make_device(const vk::DevicePlan& plan, const gpu::DeviceOptions& options = {});
  void drop_device() { device_.reset(); }

  // Creates a buffer with contents; reads one back.
  template <class T>
  gpu::Buffer make_buffer(const std::vector<T>& values, std::string name = "values") {
    return make_buffer_of_bytes(std::as_bytes(std::span(values)), std::move(name));
  }
  template <class T>
  std::vector<T> contents(const gpu::Buffer& buffer) {
    std::vector<T> values(buffer.size() / sizeof(T));
    read_buffer(buffer, std::as_writable_bytes(std::span(values)));
    return values;
  }
  // Creates an image in layout General with contents in level 0; reads a level back.
  template <class T>
  gpu::Image make_image(const vk::ImageInfo& info, const std::vector<T>& texels) {
    return make_image_of_bytes(info, std::as_bytes(std::span(texels)));
  }
  template <class T>
  std::vector<T> texels(const gpu::Image& image, std::uint32_t level = 0) {
    std::vector<T> values(image.packed_size(level) / sizeof(T));
    read_image(image, level, std::as_writable_bytes(std::span(values)));
    return values;
  }
  // Records, submits and waits.
  void run(const std::function<void(gpu::CommandList&)>& record);

  // The messages of the layer since the last call, for tests that provoke messages.
  std::vector<std::string> take_messages();

 private:
  gpu::Buffer make_buffer_of_bytes(Bytes bytes, std::string name);
  void read_buffer(const gpu::Buffer& buffer, MutableBytes bytes);
  gpu::Image make_image_of_bytes(const vk::ImageInfo& info, Bytes bytes);
  void read_image(const gpu::Image& image, std::uint32_t level, MutableBytes bytes);

  vk::InstanceOptions options_;
  std::vector<std::string> messages_;
  std::optional<gpu::Instance> instance_;
  std::size_t index_ = 0;
  std::optional<gpu::Device> device_;
};

// The messages of a failure, one per line, as `message [kind]`.
std::string text_of(const Failure& failure);

// What `must` throws.
struct FailureError : std::runtime_error {
  explicit FailureError(Failure of) : std::runtime_error(text_of(of)), failure(std::move(of)) {}
  Failure failure;
};

// The value of a result; throws the failure, which ends the test, when it has no value.
template <class T>
T must(Result<T> result) {
  if (!result) throw FailureError(std::move(result.error()));
  if constexpr (!std::is_void_v<T>) return std::move(*result);
}

}  // namespace slipway::testing
