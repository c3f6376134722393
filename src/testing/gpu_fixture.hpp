// A test on a real device (the software driver, in ./dev test) under the validation layer with synchronisation
// validation. Any message of the layer, at any time until instance and device are gone, fails the test.
//
//   TEST_F(MyTest, CopiesABuffer) {   // using MyTest = slipway::testing::GpuTest;
//     const gpu::Device& d = device();
#pragma once

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

#include "gpu/device.hpp"

namespace slipway::testing {

class GpuTest : public ::testing::Test {
 protected:
  GpuTest();
  ~GpuTest() override;
  void TearDown() override;

  // Names and labels for debugging tools; before anything else is called.
  void use_debug_names() { options_.debug_names = true; }

  const gpu::Instance& instance();
  const gpu::Snapshot& snapshot();
  // The first call makes the device, which then lives until the end of the test.
  const gpu::Device& device(const gpu::Needs& needs = {.graphics = true, .blit = true, .timestamps = true},
                            const gpu::DeviceOptions& options = {});
  // Like device(), but a failure is a result; ends the device that there was.
  Result<> make_device(const gpu::DevicePlan& plan, const gpu::DeviceOptions& options = {});
  void drop_device() { device_.reset(); }

  // What the layer said since the last call, so that a test can provoke messages.
  std::vector<std::string> take_messages();

 private:
  gpu::InstanceOptions options_;
  std::vector<std::string> messages_;
  std::optional<gpu::Instance> instance_;
  std::size_t index_ = 0;
  std::optional<gpu::Device> device_;
};

// The messages of a failure, one a line, as `message [kind]`.
std::string text_of(const Failure& failure);

// The value of a result; ends the program with the failure when there is none.
template <class T>
T must(Result<T> result) {
  if (!result) {
    ADD_FAILURE() << text_of(result.error());
    throw std::runtime_error(text_of(result.error()));
  }
  if constexpr (!std::is_void_v<T>) return std::move(*result);
}

}  // namespace slipway::testing
