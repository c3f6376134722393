// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Records steps into a command list.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "executors/vulkan/record/recordable.hpp"
#include "executors/vulkan/resources/resources.hpp"
#include "executors/vulkan/resources/texel_copies.hpp"
#include "gpu/commands/commands.hpp"
#include "gpu/commands/timestamps.hpp"
#include "launch/plan/accesses.hpp"
#include "launch/plan/layouts.hpp"
#include "launch/plan/plan.hpp"

namespace slipway::launch {

// One iteration, range by range, in order.
class Recorder {
 public:
  explicit Recorder(const Recordable& run)
      : run_(run),
        native_graphs_(has_native_graphs(run.plan)),
        layouts_(run.plan),
        texel_copies_(run.plan, run.resources) {}

  // The steps. After those of the last range images are put back into the layout that an iteration begins with.
  // gpu::CommandList::end() orders all of it before what is submitted later, and makes it visible to the host.
  void record(gpu::CommandList& list, StepRange range, bool is_last);

 private:
  void record_command(gpu::CommandList& list, std::size_t step);
  void record_copy(gpu::CommandList& list, const Step& step, const Copy& copy);
  void record_dispatch(gpu::CommandList& list, std::size_t step, const Dispatch& dispatch);
  void record_draw(gpu::CommandList& list, std::size_t step, const Draw& draw);
  // Puts the addresses of buffers into the push constants.
  void bind(gpu::CommandList& list, std::size_t step, std::vector<std::byte> push_constants,
            std::span<const Binding> bindings);
  gpu::BarrierScope scope_of(const Barrier& barrier) const;
  void record_barriers(gpu::CommandList& list, const Barriers& barriers);
  void add_image_barriers(std::vector<gpu::ImageBarrier>& images, const Barrier& barrier) const;
  void restore_layouts(gpu::CommandList& list);

  Recordable run_;
  bool native_graphs_;
  ImageLayouts layouts_;
  TexelCopies texel_copies_;
  std::uint32_t commands_ = 0;  // dispatches and draws so far
  std::size_t end_ = 0;         // of the steps of the list
};

// Bytes of the intermediates of a graph: the plan's, or what the driver asked for.
std::uint64_t session_size(const Recordable& run, const GraphDispatch& graph);

// The number of dispatches and draws of a plan.
std::uint32_t count_commands(const Plan& plan);

}  // namespace slipway::launch
