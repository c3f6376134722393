// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the steps of a plan touch: which bytes and mip levels, in which stage, reading or writing.
#pragma once

#include <cstdint>
#include <ranges>
#include <span>
#include <vector>

#include "launch/plan/plan.hpp"

namespace slipway::launch {

// Mip levels [first, first + count).
struct Levels {
  std::uint32_t first = 0, count = 1;
  bool contains(const Levels& other) const {
    return first <= other.first && other.first + other.count <= first + count;
  }
};

struct Access {
  ResourceIndex resource = 0;
  vk::StageFlags stages = 0;
  vk::AccessFlags reads = 0;   // 0: does not read
  vk::AccessFlags writes = 0;  // 0: does not write
  Levels levels;               // of an image
  // The bytes of a buffer; size 0: to the end.
  std::uint64_t offset = 0, size = 0;
  const Origin* origin = nullptr;
};

// Whether a step is a dispatch or a draw: what pipelines, timestamps and progress are for.
bool is_command(const Step& step);

// Whether a step is a graph that the device runs itself.
bool is_graph(const Plan& plan, const Step& step);
bool has_native_graphs(const Plan& plan);

// The graph dispatch that a step is part of, or null.
const GraphDispatch* graph_of_step(const Plan& plan, std::size_t step);
std::optional<std::size_t> graph_index_of_step(const Plan& plan, std::size_t step);

// What a dispatch or draw binds; empty for other steps.
std::span<const Binding> bindings_of(const Step& step);
// Those that are descriptors, not addresses in push constants.
inline auto descriptors_of(const Step& step) {
  return bindings_of(step) | std::views::filter([](const Binding& binding) { return !binding.address_at; });
}

// Of dispatches, draws and calls; empty for other steps. Pointers are into the plan.
std::vector<Access> accesses_of(const Plan& plan, const Step& step);

// The mip levels that a binding's descriptor shows; those of its image that an image barrier names.
Levels levels_of(const Plan& plan, const Binding& binding);
Levels levels_of(const Plan& plan, const Barrier& barrier);

// The formats of a draw's attachments.
vk::AttachmentFormats attachment_formats(const Plan& plan, const Draw& draw);

// Where a resource lies: resources of one group have one domain, every other resource has its own.
struct MemoryRange {
  std::size_t domain = 0;
  std::uint64_t begin = 0, end = 0;
};

// The bytes of an access to a buffer. `ranges` are those of memory_ranges().
MemoryRange range_of(const Access& access, std::span<const MemoryRange> ranges);

// One for each resource. An image's size is that of its texels without padding, the minimum on any device.
std::vector<MemoryRange> memory_ranges(const Plan& plan);

// Emulated graphs run as compute shaders, so a barrier's data graph stage and accesses mean those of compute shaders
// (docs/spec/scenario.md#barrier-spellings), and also their own where a plan has native graphs.
vk::StageFlags executed_stages(vk::StageFlags stages, bool native_graphs);
vk::AccessFlags executed_accesses(vk::AccessFlags accesses, bool native_graphs);

}  // namespace slipway::launch
