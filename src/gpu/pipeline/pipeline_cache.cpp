// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "gpu/pipeline/pipeline_cache.hpp"

#include <algorithm>

#include "base/format.hpp"
#include "gpu/device/device.hpp"
#include "gpu/device/device_core.hpp"

namespace slipway::gpu {

std::vector<std::string> check_pipeline_cache(const vk::Snapshot& snapshot, Bytes data) {
  if (data.empty()) return {"Pipeline Cache skipped: size invalid"};
  constexpr std::size_t header_size = sizeof(VkPipelineCacheHeaderVersionOne);
  static_assert(header_size == 32);
  std::vector<std::string> warnings;
  if (data.size() < header_size || load<std::uint32_t>(data.data()) != header_size) {
    warnings.emplace_back("Pipeline validation: Incorrect pipeline cache header size");
    // Too short for the other checks.
    if (data.size() < header_size) return warnings;
  }
  const auto header = load<VkPipelineCacheHeaderVersionOne>(data.data());
  if (const auto version = load<std::uint32_t>(data.data() + 4); version != VK_PIPELINE_CACHE_HEADER_VERSION_ONE) {
    warnings.push_back(formatted("Pipeline validation: Incorrect pipeline header version ({}). Expected (1)", version));
  }
  // Another UUID is another driver of the same device; it has the same warning.
  if (header.vendorID != snapshot.vendor_id || header.deviceID != snapshot.device_id ||
      !std::ranges::equal(header.pipelineCacheUUID, snapshot.pipeline_cache_uuid)) {
    warnings.push_back(formatted(
        "Pipeline validation: Incorrect device used with cache. (VendorID, DeviceID) = ({}, {}). Expected ({}, {})",
        header.vendorID, header.deviceID, snapshot.vendor_id, snapshot.device_id));
  }
  return warnings;
}

Result<PipelineCache> create_pipeline_cache(const Device& device, Bytes data) {
  const DeviceCore& core = device.core();
  PipelineCache cache;
  cache.loaded_ = check_pipeline_cache(core.snapshot, data).empty();
  if (!cache.loaded_) data = {};
  const VkPipelineCacheCreateInfo create{.sType = VK_STRUCTURE_TYPE_PIPELINE_CACHE_CREATE_INFO,
                                         .initialDataSize = data.size(),
                                         .pInitialData = data.data()};
  VkPipelineCache handle = nullptr;
  const VkResult result = core.functions.vkCreatePipelineCache(core.device, &create, nullptr, &handle);
  if (result != VK_SUCCESS) return vulkan_failed("vkCreatePipelineCache", result, "pipeline cache");
  cache.cache_ = Owned<VkPipelineCache_T>(core, handle);
  return cache;
}

Result<std::vector<std::byte>> save_pipeline_cache(const Device& device, const PipelineCache& cache) {
  const DeviceCore& core = device.core();
  std::vector<std::byte> data;
  VkResult result = VK_INCOMPLETE;
  // The cache may grow between the two calls when pipelines are still being made.
  while (result == VK_INCOMPLETE) {
    std::size_t size = 0;
    result = core.functions.vkGetPipelineCacheData(core.device, cache.handle(), &size, nullptr);
    if (result != VK_SUCCESS) break;
    data.resize(size);
    result = core.functions.vkGetPipelineCacheData(core.device, cache.handle(), &size, data.data());
    data.resize(size);
  }
  if (result != VK_SUCCESS) return vulkan_failed("vkGetPipelineCacheData", result, "pipeline cache");
  return data;
}

}  // namespace slipway::gpu
