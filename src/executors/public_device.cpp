// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "executors/public_device.hpp"

#include "base/format.hpp"
#include "base/public_problems.hpp"
#include "base/public_state.hpp"
#include "executors/open.hpp"
#include "vk/snapshot.hpp"

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
  const Result<std::vector<vk::Snapshot>> listed = executors::vulkan_devices();
  std::vector<DeviceInfo> devices;
  // Without a Vulkan loader or driver the list is empty.
  if (!listed && listed.error().front().kind == DiagnosticKind::NoDevice) return devices;
  if (!listed) return std::unexpected(public_problems(listed.error()));
  for (const vk::Snapshot& device : *listed) devices.push_back(info_of(device));
  return devices;
}

Device::Device(std::unique_ptr<State> state) : state_(std::move(state)) {}
Device::Device(Device&&) noexcept = default;
Device& Device::operator=(Device&&) noexcept = default;
Device::~Device() = default;

Device::State& Device::state() { return alive(state_); }

const DeviceInfo& Device::info() const { return alive(state_).info; }

Outcome<Device> Device::open(std::string_view selector) {
  auto state = std::make_unique<State>();
  state->executor = executors::open_executor({.selector = std::string(selector)});
  const Result<launch::ExecutorInfo> info = state->executor->info();
  if (!info) return std::unexpected(public_problems(info.error()));
  state->info = info->vulkan ? info_of(*info->vulkan)
                             : DeviceInfo{.name = info->name, .type = std::string(vk::name_of(vk::DeviceType::Cpu))};
  state->executor->finish_opening();  // programs end without destroying the device
  return Device(std::move(state));
}

}  // namespace slipway
