// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What recording the commands of a plan refers to.
#pragma once

#include <cstddef>
#include <span>

namespace slipway::gpu {
class Buffer;
class Timestamps;
}  // namespace slipway::gpu

namespace slipway::launch {

struct Plan;
struct Step;
class Pipelines;
class Resources;
class StepBindings;

// Steps that are submitted together: [begin, end), none of them a boundary or a call.
struct StepRange {
  std::size_t begin = 0, end = 0;
};

// What recording needs of a run.
struct Recordable {
  const Plan& plan;
  const Resources& resources;
  const Pipelines& pipelines;
  const StepBindings& bindings;
  // Copies before the first step and after the last one of an iteration.
  std::span<const Step> before, after;
  // Two timestamps for each dispatch and draw, in their order; null: none.
  const gpu::Timestamps* timestamps = nullptr;
  // Gets, as a 32-bit number, the index after that of the last step that has ended; null: none.
  const gpu::Buffer* progress = nullptr;
};

}  // namespace slipway::launch
