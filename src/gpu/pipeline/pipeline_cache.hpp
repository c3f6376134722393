// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The driver's pipeline cache, as data that goes into a file and comes back
// (docs/spec/scenario.md#pipeline-cache-file).
#pragma once

#include <string>
#include <vector>

#include "base/bytes.hpp"
#include "base/diagnostic.hpp"
#include "gpu/device/handles.hpp"

namespace slipway::vk {
struct Snapshot;
}

namespace slipway::gpu {

class Device;

// Why cached data cannot be used on this device: the warnings of docs/spec/scenario.md#log-lines, in their order; empty
// if it can. Each text but that of empty data is to be followed by "Pipeline Cache skipped: failed to validate."
//   "Pipeline Cache skipped: size invalid"                      (no data)
//   "Pipeline validation: Incorrect pipeline cache header size"
//   "Pipeline validation: Incorrect pipeline header version (v). Expected (1)"
//   "Pipeline validation: Incorrect device used with cache. (VendorID, DeviceID) = (a, b). Expected (c, d)"
std::vector<std::string> check_pipeline_cache(const vk::Snapshot& snapshot, Bytes data);

class PipelineCache {
 public:
  VkPipelineCache_T* handle() const { return cache_.get(); }
  // Whether it began with data.
  bool loaded() const { return loaded_; }

 private:
  friend Result<PipelineCache> create_pipeline_cache(const Device& device, Bytes data);
  Owned<VkPipelineCache_T> cache_;
  bool loaded_ = false;
};

// Data that check_pipeline_cache() does not accept are left out.
Result<PipelineCache> create_pipeline_cache(const Device& device, Bytes data = {});

// The data to keep. It begins with the header that check_pipeline_cache() looks at.
Result<std::vector<std::byte>> save_pipeline_cache(const Device& device, const PipelineCache& cache);

}  // namespace slipway::gpu
