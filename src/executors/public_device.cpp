// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "executors/public_device.hpp"

#include "base/format.hpp"
#include "base/public_problems.hpp"
#include "base/public_state.hpp"

namespace slipway {
namespace {

DeviceInfo info_of(const vk::Snapshot& snapshot) {
  return {.index = snapshot.index,
          .name = snapshot.name,
          .type = std::string(vk::name_of(snapshot.type)),
          .uuid = vk::format_uuid(snapshot.device_uuid),
          .api_version = formatted("{}.{}.{}", snapshot.api.major, snapshot.api.minor, snapshot.api.patch)};
}

}  // namespace

Outcome<std::vector<DeviceInfo>> list_devices() {
  const Result<gpu::Instance> instance = gpu::create_instance();
  std::vector<DeviceInfo> devices;
  // Without a Vulkan loader or driver the list is empty.
  if (!instance && instance.error().front().kind == DiagnosticKind::NoDevice) return devices;
  if (!instance) return std::unexpected(public_problems(instance.error()));
  for (const vk::Snapshot& snapshot : instance->snapshots()) devices.push_back(info_of(snapshot));
  return devices;
}

Device::Device(std::unique_ptr<State> state) : state_(std::move(state)) {}
Device::Device(Device&&) noexcept = default;
Device& Device::operator=(Device&&) noexcept = default;
Device::~Device() = default;

Device::State& Device::state() { return alive(state_); }

const DeviceInfo& Device::info() const { return alive(state_).info; }

Outcome<Device> Device::open(std::string_view selector) {
  auto state = std::make_unique<State>(launch::OpenDeviceOptions{.selector = std::string(selector)});
  const auto snapshot = state->opening.snapshot();
  if (!snapshot) return std::unexpected(public_problems(snapshot.error()));
  state->info = info_of(**snapshot);
  state->opening.join();  // programs end without destroying the device
  return Device(std::move(state));
}

}  // namespace slipway
