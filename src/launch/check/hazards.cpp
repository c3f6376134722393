// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "launch/check/hazards.hpp"

#include "base/format.hpp"
#include "launch/check/hazard_warning.hpp"
#include "launch/check/image_hazards.hpp"
#include "launch/check/order_hazards.hpp"

namespace slipway::launch {
namespace {

void check_buffer_range(const Plan& plan, const Barrier& barrier, Diagnostics& diagnostics) {
  const Resource& resource = plan.resources[barrier.resource];
  const std::uint64_t size = std::get<Buffer>(resource.kind).size;
  if (barrier.offset <= size && barrier.size <= size - barrier.offset && barrier.size > 0) return;
  warn_of_hazard(diagnostics, barrier.origin,
                 formatted("barrier `{}` covers {} bytes at offset {} of `{}`, which has {} bytes", barrier.name,
                           barrier.size, barrier.offset, resource.name, size))
      .note(formatted("`{}` is made here", resource.name), resource.origin.location());
}

}  // namespace

Diagnostics check_hazards(const Plan& plan) {
  Diagnostics diagnostics;
  const std::vector<MemoryRange> ranges = memory_ranges(plan);
  OrderHazards order(plan, ranges, diagnostics);
  ImageHazards images(plan, ranges, diagnostics);
  for (const Step& step : plan.steps) {
    if (const auto* barriers = std::get_if<Barriers>(&step.action)) {
      for (const Barrier& barrier : barriers->barriers) {
        if (barrier.kind == Barrier::Kind::Buffer) check_buffer_range(plan, barrier, diagnostics);
        images.see(barrier);
        order.see(barrier);
      }
    } else if (std::holds_alternative<Boundary>(step.action)) {
      order.see_full_barrier();
    } else {
      // A call waits for what was before it, and what comes after it waits for the call.
      const bool is_call = std::holds_alternative<Call>(step.action);
      const std::vector<Access> accesses = accesses_of(plan, step);
      if (is_call) order.see_full_barrier();
      order.see(step, accesses);
      images.see(step, accesses);
      if (is_call || step.barrier_after) order.see_full_barrier();
    }
  }
  images.see_results();
  return diagnostics;
}

}  // namespace slipway::launch
