// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "layer/device_offer.hpp"

#include <algorithm>

#include "base/format.hpp"
#include "layer/limits.hpp"
#include "layer/offer.hpp"

namespace slipway::layer {

Offer offer_of(const vk::Snapshot& device, const OfferOptions& options) {
  Offer offer;
  if (device.has_extension(VK_ARM_TENSORS_EXTENSION_NAME) && device.has_extension(VK_ARM_DATA_GRAPH_EXTENSION_NAME) &&
      !options.force) {
    offer.native = true;
    return offer;
  }
  const auto lacks = [&](std::string what) {
    if (offer.missing.empty()) offer.missing = std::move(what);
  };
  constexpr std::uint32_t needed_minor = 3;
  if (options.api_minor < needed_minor) lacks("Vulkan 1.3, which the application does not ask for");
  if (device.api < vk::Version{1, needed_minor, 0}) lacks("Vulkan 1.3");
  for (const char* feature : kNeededFeatures) {
    if (!device.has_feature(feature)) lacks(formatted("the feature `{}`", feature));
  }
  for (const char* limit : {"maxPerStageDescriptorUniformBuffers", "maxDescriptorSetUniformBuffers"}) {
    const auto found = device.limits_by_name.find(limit);
    if (found == device.limits_by_name.end() ||
        tensors_of(static_cast<std::uint32_t>(std::min(found->second, 4e9))) < kMinTensorDescriptors)
      lacks(formatted("a `{}` of {}", limit, 2 * kMinTensorDescriptors));
  }
  offer.tensors = offer.missing.empty();
  if (!offer.tensors) return offer;
  for (const char* extension : kGraphExtensions) {
    const bool is_core = std::string_view(extension) == VK_KHR_MAINTENANCE_5_EXTENSION_NAME && device.api.minor >= 4;
    if (!is_core && !device.has_extension(extension)) lacks(extension);
  }
  if (std::ranges::none_of(device.queue_families, [](const vk::QueueFamily& family) {
        return (family.flags & vk::queue_flag::kCompute) != 0;
      }))
    lacks("a queue family with compute");
  offer.graphs = offer.missing.empty();
  offer.flow =
      offer.graphs && device.has_feature(kFlowFeature) && device.has_extension(VK_KHR_PUSH_DESCRIPTOR_EXTENSION_NAME);
  return offer;
}

bool is_layer_extension(std::string_view name) {
  constexpr std::string_view kAll[] = {VK_ARM_TENSORS_EXTENSION_NAME, VK_ARM_DATA_GRAPH_EXTENSION_NAME,
                                       VK_ARM_DATA_GRAPH_INSTRUCTION_SET_TOSA_EXTENSION_NAME,
                                       VK_ARM_DATA_GRAPH_OPTICAL_FLOW_EXTENSION_NAME,
                                       VK_ARM_DATA_GRAPH_NEURAL_ACCELERATOR_STATISTICS_EXTENSION_NAME};
  return std::ranges::contains(kAll, name);
}

}  // namespace slipway::layer
