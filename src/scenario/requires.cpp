// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The root's `requires` against a device (docs/spec/scenario.md#additive-keys).
#include <algorithm>
#include <utility>

#include "base/format.hpp"
#include "scenario/plan.hpp"
#include "vk/device_plan.hpp"

namespace slipway::scenario {
namespace {

std::uint64_t feature_bit(FormatUse use) {
  switch (use) {
    case FormatUse::Sampled:
      return vk::format_feature::kSampledImage;
    case FormatUse::Storage:
      return vk::format_feature::kStorageImage;
    case FormatUse::ColorAttachment:
      return vk::format_feature::kColorAttachment;
    case FormatUse::Blit:
      return vk::format_feature::kBlitSource | vk::format_feature::kBlitDestination;
  }
  std::unreachable();
}

std::string_view name_of(FormatUse use) {
  constexpr std::string_view kNames[] = {"sampled", "storage", "color_attachment", "blit"};
  return kNames[std::to_underlying(use)];
}

std::string_view name_of(NativeFeature feature) {
  constexpr std::string_view kNames[] = {"tensors", "data_graph", "optical_flow"};
  return kNames[std::to_underlying(feature)];
}

}  // namespace

// Native graphs and optical flow need native tensors too.
bool is_native(NativeFeature feature, const vk::Snapshot& device) {
  switch (feature) {
    case NativeFeature::Tensors:
      return vk::missing_for_tensors(device).empty();
    case NativeFeature::DataGraph:
      return vk::missing_for_graphs(device).empty();
    case NativeFeature::OpticalFlow:
      return vk::missing_for_graphs(device).empty() && device.has_extension("VK_ARM_data_graph_optical_flow") &&
             device.has_feature("dataGraphOpticalFlow");
  }
  std::unreachable();
}

std::vector<std::string> check_requires(const Requirements& requirements, const vk::Snapshot& device) {
  std::vector<std::string> lines;
  const auto unmet = [&]<class... Arguments>(std::format_string<Arguments...> text, Arguments&&... arguments) {
    lines.push_back("skipped: requires " + formatted(text, std::forward<Arguments>(arguments)...));
  };
  if (requirements.api) {
    const auto [major, minor] = *requirements.api;
    if (device.api < vk::Version{major, minor, 0}) {
      unmet("Vulkan {}.{}, the device has {}.{}", major, minor, device.api.major, device.api.minor);
    }
  }
  for (const std::string& extension : requirements.extensions) {
    if (!device.has_extension(extension)) unmet("extension {}", extension);
  }
  for (const std::string& feature : requirements.features) {
    if (!device.has_feature(feature)) unmet("feature {}", feature);
  }
  for (const RequiredLimit& limit : requirements.limits) {
    const auto found = device.limits_by_name.find(limit.name);
    if (found == device.limits_by_name.end()) {
      unmet("limit {}, which the device does not report", limit.name);
    } else if (found->second < static_cast<double>(limit.value)) {
      unmet("{} >= {}, the device has {}", limit.name, limit.value, found->second);
    }
  }
  for (const RequiredFormat& format : requirements.formats) {
    if (!format.format.value) continue;  // an unknown name is reported by check_scenario
    const vk::FormatFeatures features = device.format_features(*format.format.value);
    const bool linear = format.tiling == vk::Tiling::Linear;
    for (const FormatUse use : format.usage) {
      const std::uint64_t bits = feature_bit(use);
      if (((linear ? features.linear : features.optimal) & bits) != bits) {
        unmet("{} with {} tiling as {}", format.format.name, linear ? "LINEAR" : "OPTIMAL", name_of(use));
      }
    }
  }
  for (const NativeFeature feature : requirements.native) {
    if (!is_native(feature, device)) unmet("native {}", name_of(feature));
  }
  if (device.device_memory() < requirements.memory) {
    unmet("{} bytes of device memory, the device has {}", requirements.memory, device.device_memory());
  }
  return lines;
}

}  // namespace slipway::scenario
