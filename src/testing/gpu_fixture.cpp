#include "testing/gpu_fixture.hpp"

#include <format>

#include "gpu/choose_device.hpp"

namespace slipway::testing {

GpuTest::GpuTest() {
  options_.validation = true;
  options_.on_message = [this](const gpu::InstanceMessage& message) {
    messages_.push_back(std::format("{}: {}", message.id, message.text));
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
    index_ = must(gpu::choose_device(instance_->snapshots(), ""));
  }
  return *instance_;
}

const gpu::Snapshot& GpuTest::snapshot() { return instance().snapshots()[(instance(), index_)]; }

const gpu::Device& GpuTest::device(const gpu::Needs& needs, const gpu::DeviceOptions& options) {
  if (!device_) must(make_device(must(gpu::plan_device(snapshot(), needs)), options));
  return *device_;
}

Result<> GpuTest::make_device(const gpu::DevicePlan& plan, const gpu::DeviceOptions& options) {
  device_.reset();
  const gpu::Instance& from = instance();
  Result<gpu::Device> made = gpu::create_device(from, index_, plan, options);
  if (!made) return std::unexpected(std::move(made.error()));
  device_ = std::move(*made);
  return {};
}

std::vector<std::string> GpuTest::take_messages() { return std::exchange(messages_, {}); }

std::string text_of(const Failure& failure) {
  std::string text;
  for (const Diagnostic& diagnostic : failure) {
    text += std::format("{} [{}]\n", diagnostic.message, name_of(diagnostic.kind));
  }
  return text;
}

}  // namespace slipway::testing
