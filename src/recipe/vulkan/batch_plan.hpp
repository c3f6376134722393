// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The launch plan of runs that are submitted together: what is particular to recipes becomes resources and steps.
//
// Between two dispatches there is a barrier exactly when they may touch the same bytes and one of them writes. A part
// of a buffer that begins where the device allows no descriptor to begin goes through a staging copy: copied in before
// the dispatch, and back after it when the kernel may write. A model is the dispatches of its own plan, between copies
// of the runner's buffers into and out of the model's.
#pragma once

#include <span>
#include <vector>

#include "gpu/device/device.hpp"
#include "launch/plan/plan.hpp"
#include "recipe/backend.hpp"
#include "recipe/vulkan/queue_spread.hpp"

namespace slipway::recipe {

struct BatchPlan {
  struct Run {
    std::size_t first_step = 0;
    std::size_t first_command = 0, commands = 0;  // dispatches
    std::vector<AccessedRange> shared;            // bytes that lists of others may use too
  };

  launch::Plan plan;
  std::vector<const gpu::Buffer*> external;  // by launch::Buffer::external
  std::vector<Run> runs;

  // The first run that uses shared bytes which a run of this batch writes, as its copies in flight do: only one copy at
  // a time may go on from there.
  std::size_t first_contended() const;
};

// The kernels are VulkanKernels, the buffers VulkanBuffers. Errors: kernel-grid, device-lacks, buffer-size.
Result<BatchPlan> plan_batch(std::span<const KernelRun> runs, const gpu::Snapshot& device);

}  // namespace slipway::recipe
