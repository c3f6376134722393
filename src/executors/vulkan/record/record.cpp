// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "executors/vulkan/record/record.hpp"

#include <algorithm>

#include "base/format.hpp"
#include "executors/vulkan/pipelines/bindings.hpp"
#include "executors/vulkan/pipelines/pipelines.hpp"
#include "launch/plan/accesses.hpp"

namespace slipway::launch {
namespace {

// From one dispatch to the next. What comes later waits for that one, whose own barrier is as wide as it has to be.
void record_dispatch_barrier(gpu::CommandList& list) {
  const gpu::BarrierScope between{
      .src_stages = vk::stage::kComputeShader,
      .src_access = vk::access::kShaderWrite,
      .dst_stages = vk::stage::kComputeShader,
      .dst_access = vk::access::kShaderRead | vk::access::kShaderWrite | vk::access::kUniformRead};
  list.barrier({.memory = {&between, 1}});
}

bool is_compute_dispatch(const Plan& plan, std::size_t step) {
  return step < plan.steps.size() && std::holds_alternative<Dispatch>(plan.steps[step].action) &&
         !is_graph(plan, plan.steps[step]);
}

// Dispatches of compute shaders of which the last one, and none before it, has a barrier after it.
bool is_guarded_dispatch(const Plan& plan, std::size_t step) {
  while (is_compute_dispatch(plan, step) && !plan.steps[step].barrier_after) ++step;
  return is_compute_dispatch(plan, step);
}

}  // namespace

std::uint32_t count_commands(const Plan& plan) {
  return static_cast<std::uint32_t>(std::ranges::count_if(plan.steps, is_command));
}

std::uint64_t session_size(const Recordable& run, const GraphDispatch& graph) {
  return graph.native ? run.pipelines.of_step(graph.first_step).session_size() : graph.session_size;
}

void Recorder::record(gpu::CommandList& list, StepRange range, bool is_last) {
  if (range.begin == 0 && end_ == 0) {
    for (const Step& step : run_.before) record_copy(list, step, std::get<Copy>(step.action));
  }
  end_ = range.end;
  for (std::size_t i = range.begin; i < range.end; ++i) {
    const Step& step = run_.plan.steps[i];
    if (const auto* barriers = std::get_if<Barriers>(&step.action))
      record_barriers(list, *barriers);
    else if (const auto* copy = std::get_if<Copy>(&step.action))
      record_copy(list, step, *copy);
    else
      record_command(list, i);
  }
  if (is_last) {
    if (!run_.after.empty()) list.full_barrier();
    for (const Step& step : run_.after) record_copy(list, step, std::get<Copy>(step.action));
    texel_copies_.finish(list, layouts_);
    restore_layouts(list);
  }
}

void Recorder::record_copy(gpu::CommandList& list, const Step& step, const Copy& copy) {
  texel_copies_.before(list, step, layouts_);
  list.begin_label(formatted("copy ({})", step.name));
  list.copy(run_.resources.buffer(copy.from), copy.from_offset, run_.resources.buffer(copy.to), copy.to_offset,
            copy.size);
  list.end_label();
  texel_copies_.after(step);
  if (step.barrier_after) list.full_barrier();
}

void Recorder::record_command(gpu::CommandList& list, std::size_t index) {
  const Step& step = run_.plan.steps[index];
  texel_copies_.before(list, step, layouts_);
  list.begin_label(formatted("dispatch ({})", step.name));
  if (run_.timestamps) list.write_timestamp(*run_.timestamps, 2 * commands_);
  if (const auto* dispatch = std::get_if<Dispatch>(&step.action))
    record_dispatch(list, index, *dispatch);
  else
    record_draw(list, index, get_boxed<Draw>(step.action));
  if (run_.timestamps) list.write_timestamp(*run_.timestamps, 2 * commands_ + 1);
  list.end_label();
  texel_copies_.after(step);
  ++commands_;
  // The list ends with a barrier of its own; two in succession take longer than one.
  const bool needs_barrier = step.barrier_after && index + 1 < end_;
  // Where commands are timed, each has a barrier, so that times do not overlap.
  if (needs_barrier && !(step.next_waits && !run_.timestamps && !run_.progress)) {
    const bool between_dispatches =
        !run_.progress && is_guarded_dispatch(run_.plan, index) && is_guarded_dispatch(run_.plan, index + 1);
    list.begin_label("barriers (pipeline implicit)");
    between_dispatches ? record_dispatch_barrier(list) : list.full_barrier();
    list.end_label();
  }
  if (run_.progress) {
    if (!needs_barrier) list.full_barrier();
    list.fill(*run_.progress, 0, sizeof(std::uint32_t), static_cast<std::uint32_t>(index + 1));
  }
}

void Recorder::bind(gpu::CommandList& list, std::size_t step, std::vector<std::byte> push_constants,
                    std::span<const Binding> bindings) {
  for (const Binding& binding : bindings) {
    if (!binding.address_at) continue;
    const std::uint64_t address = run_.resources.buffer(binding.resource).address() + binding.offset;
    std::ranges::copy(std::as_bytes(std::span(&address, 1)), push_constants.begin() + *binding.address_at);
  }
  const gpu::Pipeline& pipeline = run_.pipelines.of_step(step);
  list.bind(pipeline);
  for (const BoundSet& bound : run_.bindings.sets(step)) list.bind_sets(pipeline, bound.index, {&bound.set, 1});
  if (!push_constants.empty()) list.push_constants(pipeline, push_constants);
}

void Recorder::record_dispatch(gpu::CommandList& list, std::size_t step, const Dispatch& dispatch) {
  bind(list, step, dispatch.push_constants, dispatch.bindings);
  if (is_graph(run_.plan, run_.plan.steps[step])) return list.dispatch_graph(run_.pipelines.of_step(step));
  list.dispatch(dispatch.groups[0], dispatch.groups[1], dispatch.groups[2]);
}

void Recorder::record_draw(gpu::CommandList& list, std::size_t step, const Draw& draw) {
  bind(list, step, draw.push_constants, draw.bindings);
  for (const VertexBuffer& vertices : draw.vertex_buffers) {
    list.bind_vertices(vertices.binding, run_.resources.buffer(vertices.buffer));
  }
  const gpu::DrawRange range{.count = draw.count, .instances = draw.instances, .first_vertex = draw.first_vertex};
  list.begin_rendering(run_.bindings.rendering(step, draw));
  if (draw.indices) {
    list.bind_indices(run_.resources.buffer(draw.indices->buffer), draw.indices->type);
    list.draw_indexed(range);
  } else {
    list.draw(range);
  }
  list.end_rendering();
}

gpu::BarrierScope Recorder::scope_of(const Barrier& barrier) const {
  return {.src_stages = executed_stages(barrier.src_stage, native_graphs_),
          .src_access = executed_accesses(barrier.src_access, native_graphs_),
          .dst_stages = executed_stages(barrier.dst_stage, native_graphs_),
          .dst_access = executed_accesses(barrier.dst_access, native_graphs_)};
}

// Ranges are cut to what the resource has; the hazard check has warned of them.
void Recorder::record_barriers(gpu::CommandList& list, const Barriers& barriers) {
  std::vector<gpu::BarrierScope> memory;
  std::vector<gpu::BufferBarrier> buffers;
  std::vector<gpu::TensorBarrier> tensors;
  std::vector<gpu::ImageBarrier> images;
  std::string names;
  for (const Barrier& barrier : barriers.barriers) {
    names += (names.empty() ? "" : ",") + barrier.name;
    if (barrier.kind == Barrier::Kind::Memory) {
      memory.push_back(scope_of(barrier));
    } else if (barrier.kind == Barrier::Kind::Buffer) {
      const gpu::Buffer& buffer = run_.resources.buffer(barrier.resource);
      if (barrier.offset >= buffer.size() || barrier.size == 0) continue;
      // Gaps between rows are not in the plan's sizes.
      const bool whole = std::get<Buffer>(run_.plan.resources[barrier.resource].kind).rows.has_value();
      buffers.push_back({.buffer = &buffer,
                         .scope = scope_of(barrier),
                         .offset = whole ? 0 : barrier.offset,
                         .size = whole ? 0 : std::min(barrier.size, buffer.size() - barrier.offset)});
      for (const gpu::Tensor& tensor : buffer.tensors())
        tensors.push_back({.tensor = &tensor, .scope = scope_of(barrier)});
    } else {
      add_image_barriers(images, barrier);
      layouts_.apply(run_.plan, barrier);
    }
  }
  if (memory.empty() && buffers.empty() && images.empty()) return;
  list.begin_label(formatted("barriers ({})", names));
  list.barrier({.memory = memory, .buffers = buffers, .tensors = tensors, .images = images});
  list.end_label();
}

// Level by level, as each comes from the layout that it is in. A barrier that is wrong about it has been warned of, and
// so has one to UNDEFINED, which changes nothing.
void Recorder::add_image_barriers(std::vector<gpu::ImageBarrier>& images, const Barrier& barrier) const {
  const Levels levels = levels_of(run_.plan, barrier);
  for (std::uint32_t level = levels.first; level < levels.first + levels.count; ++level) {
    const vk::Layout tracked = executed_layout(layouts_.at(barrier.resource, level));
    const bool changes = barrier.new_layout != vk::Layout::Undefined;
    const bool drops = changes && barrier.old_layout == vk::Layout::Undefined;
    images.push_back({.image = &run_.resources.image(barrier.resource),
                      .scope = scope_of(barrier),
                      .old_layout = drops ? vk::Layout::Undefined : tracked,
                      .new_layout = changes ? executed_layout(barrier.new_layout) : tracked,
                      .first_level = level,
                      .levels = 1});
  }
}

void Recorder::restore_layouts(gpu::CommandList& list) {
  std::vector<gpu::ImageBarrier> images;
  for (ResourceIndex i = 0; i < run_.plan.resources.size(); ++i) {
    const auto* image = std::get_if<Image>(&run_.plan.resources[i].kind);
    for (std::uint32_t level = 0; image && level < image->mips; ++level) {
      const vk::Layout layout = executed_layout(layouts_.at(i, level));
      if (layout == vk::Layout::General) continue;
      images.push_back({.image = &run_.resources.image(i),
                        .old_layout = layout,
                        .new_layout = vk::Layout::General,
                        .first_level = level,
                        .levels = 1});
    }
  }
  if (!images.empty()) list.barrier({.images = images});
}

}  // namespace slipway::launch
