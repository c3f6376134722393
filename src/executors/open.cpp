// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "executors/open.hpp"

#include <algorithm>
#include <ranges>

#include "executors/cpu/executor.hpp"
#include "executors/vulkan/executor.hpp"
#include "vk/choose_device.hpp"
#include "vk/selected_device.hpp"
#include "vk/snapshot.hpp"

namespace slipway::executors {
namespace {

std::shared_ptr<launch::Executor> open_cpu(const launch::ExecutorRequest&) {
  return std::make_shared<launch::CpuExecutor>();
}

Result<std::vector<launch::ExecutorInfo>> list_cpu() {
  return launch::has_cpu_engine() ? std::vector{launch::cpu_info()} : std::vector<launch::ExecutorInfo>();
}

constexpr ExecutorKind kKinds[] = {
    {"cpu", true, [](std::string_view selected) { return selected == launch::kCpuDevice; }, open_cpu, list_cpu},
    {"vulkan", false, [](std::string_view) { return true; }, launch::open_vulkan, launch::list_vulkan},
};

}  // namespace

std::span<const ExecutorKind> kinds() { return kKinds; }

const ExecutorKind& kind_of(std::string_view selector) {
  const std::string selected = vk::selected_device(selector);
  return *std::ranges::find_if(kKinds, [&](const ExecutorKind& kind) { return kind.takes(selected); });
}

const ExecutorKind& host_kind() { return *std::ranges::find(kKinds, true, &ExecutorKind::runs_graphs_on_host); }

Result<std::vector<vk::Snapshot>> vulkan_devices() {
  SLIPWAY_TRY(const std::vector<launch::ExecutorInfo> devices, launch::list_vulkan());
  return devices | std::views::transform([](const launch::ExecutorInfo& info) { return *info.vulkan; }) |
         std::ranges::to<std::vector>();
}

Result<vk::Snapshot> vulkan_device(std::string_view selector) {
  SLIPWAY_TRY(const std::vector<vk::Snapshot> devices, vulkan_devices());
  return vk::choose_device(devices, selector).transform([&](std::size_t index) { return devices[index]; });
}

std::shared_ptr<launch::Executor> open_executor(const launch::ExecutorRequest& request) {
  return kind_of(request.selector).open(request);
}

}  // namespace slipway::executors
