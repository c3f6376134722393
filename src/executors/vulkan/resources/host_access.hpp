// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Memory of the host beside the buffers of a plan (PrepareOptions::host_inputs): each iteration begins with copies from
// it and ends with copies to it.
#pragma once

#include <deque>
#include <vector>

#include "executors/vulkan/resources/vulkan_buffer.hpp"

namespace slipway::launch {

struct HostAccess {
  Plan plan;  // that of the caller, with the memory of the host as further resources
  std::deque<VulkanBuffer> buffers;
  std::vector<const ExternalBuffer*> external;  // those of the caller, then `buffers`
  std::vector<Step> before, after;              // the copies
  std::vector<MutableBytes> inputs, outputs;    // of PrepareOptions::host_inputs and host_outputs
};

// The memory is zeros. Errors: device-failed.
Result<std::unique_ptr<HostAccess>> make_host_access(const Plan& plan, const gpu::Device& device,
                                                     const PrepareOptions& options);

}  // namespace slipway::launch
