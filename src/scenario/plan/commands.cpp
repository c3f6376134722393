// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The steps of a plan: the commands of a scenario with all references resolved.
#include <algorithm>

#include "base/format.hpp"
#include "scenario/plan/bindings.hpp"
#include "scenario/plan/planning.hpp"
#include "scenario/plan/push_constants.hpp"
#include "scenario/plan/workgroups.hpp"
#include "scenario/rpl/names.hpp"

namespace slipway::scenario {
namespace {

vk::AccessFlags access_of(BarrierAccess access) {
  switch (access) {
    case BarrierAccess::MemoryWrite:
      return vk::access::kMemoryWrite;
    case BarrierAccess::MemoryRead:
      return vk::access::kMemoryRead;
    case BarrierAccess::GraphWrite:
      return vk::access::kDataGraphWrite;
    case BarrierAccess::GraphRead:
      return vk::access::kDataGraphRead;
    case BarrierAccess::ComputeShaderWrite:
      return vk::access::kShaderWrite;
    case BarrierAccess::ComputeShaderRead:
      return vk::access::kShaderRead;
  }
  std::unreachable();
}

vk::StageFlags stages_of(const std::vector<BarrierStage>& stages) {
  vk::StageFlags flags = 0;
  for (const BarrierStage stage : stages) {
    switch (stage) {
      case BarrierStage::Graph:
        flags |= vk::stage::kDataGraph;
        break;
      case BarrierStage::Compute:
        flags |= vk::stage::kComputeShader;
        break;
      case BarrierStage::Graphics:
        flags |= vk::stage::kFragmentShader | vk::stage::kColorAttachmentOutput;
        break;
      case BarrierStage::All:
        flags |= vk::stage::kAllCommands;
        break;
    }
  }
  return flags;
}

vk::Layout layout_of(BarrierLayout layout) {
  switch (layout) {
    case BarrierLayout::General:
      return vk::Layout::General;
    case BarrierLayout::Undefined:
      return vk::Layout::Undefined;
    case BarrierLayout::TensorAliasing:
      return vk::Layout::TensorAliasing;
  }
  std::unreachable();
}

class StepPlanner {
 public:
  explicit StepPlanner(Planning& planning) : planning_(planning) {}

  void make(const DispatchCompute& command) {
    const launch::Shader* shader = shader_of(command.shader, spirv::Stage::Compute);
    if (!shader) return;
    const StageInterface stages[] = {interface_of(*shader)};
    launch::Dispatch dispatch{.groups = command.groups};
    dispatch.bindings = bindings(command.bindings, command.at, {&command.shader, 1}, stages);
    check_workgroups(planning_, command, *shader, dispatch);
    auto pushed = pushed_by(command, shader->push_constant_size, stages);
    const TensorChoice tensors = choose_tensors(planning_, {{shader}}, dispatch.bindings);
    const auto index = shader_for(planning_, command.shader.uid, *shader, dispatch.bindings, tensors);
    if (!pushed || !index) return;
    bind_tensors(planning_, dispatch.bindings, tensors);
    add_push_addresses(command.push_addresses, command.at, stages, planning_.resources, planning_.scenario, *pushed,
                       dispatch.bindings, planning_.diagnostics);
    dispatch.shader = *index;
    dispatch.push_constants = std::move(*pushed);
    add(command.shader.uid, std::move(dispatch), command.at, command.implicit_barrier);
  }

  void make(const DispatchFragment& command) {
    const launch::Shader* vertex = shader_of(command.vertex_shader, spirv::Stage::Vertex);
    const launch::Shader* fragment = shader_of(command.fragment_shader, spirv::Stage::Fragment);
    if (!vertex || !fragment) return;
    const StageInterface stages[] = {interface_of(*vertex), interface_of(*fragment)};
    launch::Draw draw;
    for (const ColorAttachment& attachment : command.color_attachments) {
      const auto image = planning_.resources.find(attachment.image.uid);
      if (image == planning_.resources.end()) continue;
      draw.color_attachments.push_back(
          {.image = image->second, .level = attachment.lod.value_or(0), .origin = origin_of(attachment.image.at)});
    }
    if (command.render_extent) {
      draw.extent = *command.render_extent;
    } else if (!draw.color_attachments.empty()) {
      draw.extent = extent_of(draw.color_attachments.front());
    }
    const Reference shaders_named[] = {command.vertex_shader, command.fragment_shader};
    draw.bindings = bindings(command.bindings, command.at, shaders_named, stages);
    auto pushed = pushed_by(command, std::max(vertex->push_constant_size, fragment->push_constant_size), stages);
    const TensorChoice tensors = choose_tensors(planning_, {{vertex, fragment}}, draw.bindings);
    const auto vertex_index = shader_for(planning_, command.vertex_shader.uid, *vertex, draw.bindings, tensors);
    const auto fragment_index = shader_for(planning_, command.fragment_shader.uid, *fragment, draw.bindings, tensors);
    if (!pushed || !vertex_index || !fragment_index) return;
    bind_tensors(planning_, draw.bindings, tensors);
    add_push_addresses(command.push_addresses, command.at, stages, planning_.resources, planning_.scenario, *pushed,
                       draw.bindings, planning_.diagnostics);
    draw.vertex_shader = *vertex_index;
    draw.fragment_shader = *fragment_index;
    draw.push_constants = std::move(*pushed);
    add(command.debug_name, std::move(draw), command.at, command.implicit_barrier);
  }

  void make(const DispatchBarrier& command) {
    launch::Barriers barriers;
    const auto collect = [&]<class T>(const std::vector<Reference>& references, const T* /*kind*/) {
      for (const Reference& reference : references) {
        const T* barrier = planning_.scenario.find<T>(reference.uid);
        if (!barrier || planning_.has_errors_in(barrier->at)) continue;
        if (auto made = barrier_of(*barrier)) barriers.barriers.push_back(std::move(*made));
      }
    };
    collect(command.image_barriers, static_cast<const ImageBarrier*>(nullptr));
    collect(command.tensor_barriers, static_cast<const TensorBarrier*>(nullptr));
    collect(command.memory_barriers, static_cast<const MemoryBarrier*>(nullptr));
    collect(command.buffer_barriers, static_cast<const BufferBarrier*>(nullptr));
    add("dispatch_barrier", std::move(barriers), command.at, false);
  }

  void make(const MarkBoundary& command) {
    launch::Boundary boundary{.frame_id = command.frame_id};
    for (const Reference& reference : command.resources) {
      const auto found = planning_.resources.find(reference.uid);
      if (found != planning_.resources.end()) boundary.resources.push_back(found->second);
    }
    add("mark_boundary", std::move(boundary), command.at, false);
  }

  void make(const DispatchGraph& command) { plan_graph(planning_, command); }
  void make(const DispatchSpirvGraph& command) { plan_spirv_graph(planning_, command); }
  void make(const DispatchOpticalFlow& command) { plan_optical_flow(planning_, command); }
  void make(const Draw& command) { plan_draw(planning_, command); }

 private:
  // The shader that a reference names. Null when the shader has errors or is of another stage.
  const launch::Shader* shader_of(const Reference& reference, spirv::Stage stage) {
    const auto compiled = planning_.compiled.find(reference.uid);
    if (compiled == planning_.compiled.end()) return nullptr;
    const launch::Shader& shader = compiled->second.shader;
    if (shader.stage != stage) {
      planning_.diagnostics.add(
          json::problem(reference.at, DiagnosticKind::WrongReference,
                        formatted("the entry point of shader `{}` is a {}, but a {} shader is needed here",
                                  reference.uid, name_of(shader.stage), name_of(stage))));
      return nullptr;
    }
    return &shader;
  }

  // Binding names refer to the first RPL shader, if there is one.
  std::vector<launch::Binding> bindings(const std::vector<Binding>& bindings, json::Value command,
                                        std::span<const Reference> shaders, std::span<const StageInterface> stages) {
    for (const Reference& reference : shaders) {
      const auto& metadata = planning_.compiled.find(reference.uid)->second.metadata;
      if (!metadata) continue;
      const RplBindings rpl;
      return resolve_bindings(planning_.scenario,
                              number_bindings(bindings, reference.uid, *metadata, planning_.diagnostics), command,
                              stages, planning_.resources, planning_.plan, planning_.diagnostics, &rpl);
    }
    return resolve_bindings(planning_.scenario, bindings, command, stages, planning_.resources, planning_.plan,
                            planning_.diagnostics);
  }

  template <class Command>
  std::optional<std::vector<std::byte>> pushed_by(const Command& command, std::uint32_t size,
                                                  std::span<const StageInterface> stages) {
    if (!command.push_data && !command.push_addresses.empty()) return std::vector<std::byte>(size);
    const auto data = planning_.raw_data.find(command.push_data.uid);
    return push_constants(command.push_data, data == planning_.raw_data.end() ? nullptr : &data->second, size,
                          command.at, stages, planning_.diagnostics);
  }

  std::array<std::uint32_t, 2> extent_of(const launch::Attachment& attachment) const {
    const auto& image = std::get<launch::Image>(planning_.plan.resources[attachment.image].kind);
    return {std::max(1u, image.extent[0] >> attachment.level), std::max(1u, image.extent[1] >> attachment.level)};
  }

  static launch::Barrier barrier_in(const std::string& uid, const BarrierScope& scope, json::Value at) {
    return {.name = uid,
            .src_stage = stages_of(scope.src_stage),
            .dst_stage = stages_of(scope.dst_stage),
            .src_access = access_of(scope.src_access),
            .dst_access = access_of(scope.dst_access),
            .origin = origin_of(at)};
  }

  // Empty when the resource has errors.
  template <class T>
  std::optional<launch::Barrier> barrier_on(const T& barrier, const Reference& resource,
                                            launch::Barrier::Kind kind) const {
    const auto found = planning_.resources.find(resource.uid);
    if (found == planning_.resources.end()) return std::nullopt;
    launch::Barrier made = barrier_in(barrier.uid, barrier.scope, barrier.at);
    made.kind = kind;
    made.resource = found->second;
    return made;
  }

  std::optional<launch::Barrier> barrier_of(const MemoryBarrier& barrier) const {
    return barrier_in(barrier.uid, barrier.scope, barrier.at);
  }

  std::optional<launch::Barrier> barrier_of(const BufferBarrier& barrier) const {
    auto made = barrier_on(barrier, barrier.buffer, launch::Barrier::Kind::Buffer);
    if (made) {
      made->offset = barrier.offset;
      made->size = barrier.size;
    }
    return made;
  }

  std::optional<launch::Barrier> barrier_of(const TensorBarrier& barrier) const {
    auto made = barrier_on(barrier, barrier.tensor, launch::Barrier::Kind::Buffer);
    if (made) made->size = std::get<launch::Buffer>(planning_.plan.resources[made->resource].kind).size;
    return made;
  }

  std::optional<launch::Barrier> barrier_of(const ImageBarrier& barrier) const {
    auto made = barrier_on(barrier, barrier.image, launch::Barrier::Kind::Image);
    if (made) {
      made->old_layout = layout_of(barrier.old_layout);
      made->new_layout = layout_of(barrier.new_layout);
      made->base_level = barrier.range.base_mip_level;
      made->level_count = barrier.range.level_count;
    }
    return made;
  }

  template <class Action>
  void add(std::string name, Action action, json::Value at, bool barrier_after) {
    planning_.plan.steps.push_back({.name = std::move(name),
                                    .action = std::move(action),
                                    .barrier_after = barrier_after,
                                    .origin = origin_of(at)});
  }

  Planning& planning_;
};

}  // namespace

void plan_commands(Planning& planning) {
  StepPlanner maker(planning);
  planning.plan.steps.reserve(planning.scenario.commands.size());
  planning.scenario.commands.each([&](const Command& command) {
    if (planning.has_errors_in(object_of(command))) return;
    std::visit([&](const auto& of) { maker.make(unboxed(of)); }, command);
  });
}

}  // namespace slipway::scenario
