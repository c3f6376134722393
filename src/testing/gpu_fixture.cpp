// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "testing/gpu_fixture.hpp"

#include "base/format.hpp"
#include "gpu/commands/submit.hpp"
#include "gpu/commands/transfer.hpp"
#include "testing/validation.hpp"
#include "vk/choose_device.hpp"

namespace slipway::testing {

GpuTest::GpuTest() {
  options_.validation = with_validation();
  options_.on_message = [this](const vk::InstanceMessage& message) {
    messages_.push_back(formatted("{}: {}", message.id, message.text));
  };
}

GpuTest::~GpuTest() = default;

void GpuTest::TearDown() {
  device_.reset();
  instance_.reset();
  for (const std::string& message : messages_) ADD_FAILURE() << "validation: " << message;
}

const gpu::Instance& GpuTest::instance() {
  if (!instance_) {
    instance_ = must(gpu::create_instance(options_));
    index_ = must(vk::choose_device(instance_->snapshots(), ""));
  }
  return *instance_;
}

const vk::Snapshot& GpuTest::snapshot() { return instance().snapshots()[(instance(), index_)]; }

const gpu::Device& GpuTest::device(const vk::Needs& needs, const gpu::DeviceOptions& options) {
  if (!device_) must(make_device(must(vk::plan_device(snapshot(), needs)), options));
  return *device_;
}

Result<> GpuTest::make_device(const vk::DevicePlan& plan, const gpu::DeviceOptions& options) {
  device_.reset();
  const gpu::Instance& from = instance();
  Result<gpu::Device> made = gpu::create_device(from, index_, plan, options);
  if (!made) return std::unexpected(std::move(made.error()));
  device_ = std::move(*made);
  return {};
}

gpu::Buffer GpuTest::make_buffer_of_bytes(Bytes bytes, std::string name) {
  gpu::Buffer buffer = must(gpu::create_buffer(device(), {.size = bytes.size(), .name = std::move(name)}));
  gpu::Transfer batch = must(gpu::create_transfer(device()));
  must(batch.upload(buffer, 0, bytes));
  must(batch.finish());
  return buffer;
}

void GpuTest::read_buffer(const gpu::Buffer& buffer, MutableBytes bytes) {
  gpu::Transfer batch = must(gpu::create_transfer(device()));
  must(batch.download(buffer, 0, bytes));
  must(batch.finish());
}

gpu::Image GpuTest::make_image_of_bytes(const vk::ImageInfo& info, Bytes bytes) {
  gpu::Image image = must(gpu::create_image(device(), info));
  gpu::Transfer batch = must(gpu::create_transfer(device()));
  must(batch.prepare(image));
  must(batch.upload(image, 0, bytes));
  must(batch.finish());
  return image;
}

void GpuTest::read_image(const gpu::Image& image, std::uint32_t level, MutableBytes bytes) {
  gpu::Transfer batch = must(gpu::create_transfer(device()));
  must(batch.download(image, level, bytes));
  must(batch.finish());
}

void GpuTest::run(const std::function<void(gpu::CommandList&)>& record) {
  gpu::CommandList list = must(gpu::create_command_list(device()));
  must(list.begin());
  record(list);
  must(list.end());
  const gpu::CommandList* const all = &list;
  gpu::Submission submission = must(gpu::submit(device(), {&all, 1}));
  must(submission.wait());
}

std::vector<std::string> GpuTest::take_messages() { return std::exchange(messages_, {}); }

std::string text_of(const Failure& failure) {
  std::string text;
  for (const Diagnostic& diagnostic : failure) {
    text += formatted("{} [{}]\n", diagnostic.message, name_of(diagnostic.kind));
  }
  return text;
}

}  // namespace slipway::testing
