// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The launch plan of runs that are submitted together. It expresses everything with resources and steps of `launch`,
// which knows nothing of recipes.
//
// Two dispatches have a barrier between them exactly when they may access the same bytes and one of them writes. A
// part of a buffer whose offset does not have the alignment of the device goes through a staging copy: it is copied in
// before the dispatch, and back after it if the kernel may write. A model becomes the dispatches and calls of its own
// plan, preceded by copies of its inputs from the runner's buffers and followed by copies of its outputs to them. Where
// the executor takes memory of the host in place, a range that is aligned and overlaps no range of the run, one of them
// written, is not copied.
#pragma once

#include <span>
#include <vector>

#include "launch/executor.hpp"
#include "recipe/backend.hpp"
#include "recipe/backends/plan/queue_spread.hpp"

namespace slipway::recipe {

struct BatchPlan {
  struct Run {
    std::size_t first_step = 0, end_step = 0;
    std::vector<AccessedRange> shared;  // bytes that other lists may use too
  };

  launch::Plan plan;
  std::vector<const launch::ExternalBuffer*> external;            // by launch::Buffer::external
  std::vector<std::shared_ptr<launch::ExternalBuffer>> borrowed;  // those of them that no PlanBuffer owns
  std::vector<Run> runs;

  // The index of the first run that uses shared bytes that some run of this batch writes. Several copies of the batch
  // can be in flight, and all of them write these bytes, so only one copy at a time may execute this run and the later
  // ones. The number of runs if there is no such run.
  std::size_t first_contended() const;
};

struct PlanDevice;

// The kernels are PlanKernels, the buffers PlanBuffers or memory of the host that the executor borrows. Errors:
// kernel-grid, device-lacks, buffer-size.
Result<BatchPlan> plan_batch(std::span<const KernelRun> runs, const PlanDevice& device);

}  // namespace slipway::recipe
