// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "launch/plan/accesses.hpp"

#include <algorithm>
#include <map>

#include "tensor/format.hpp"

namespace slipway::launch {
namespace {

bool shader_uses(const Shader& shader, const Binding& binding) {
  if (binding.address_at) return true;  // unknown
  const spirv::EntryPoint* entry = shader.reflection ? shader.reflection->find(shader.entry, shader.stage) : nullptr;
  if (!entry) return true;
  return std::ranges::any_of(entry->bindings, [&](const spirv::Binding& declared) {
    return declared.used && declared.set == binding.set && declared.binding == binding.binding;
  });
}

vk::StageFlags stages_of(const Plan& plan, const Step& step, const Binding& binding) {
  const auto* draw = get_boxed_if<Draw>(step.action);
  if (!draw) return is_graph(plan, step) ? vk::stage::kDataGraph : vk::stage::kComputeShader;
  vk::StageFlags stages = 0;
  if (shader_uses(plan.shaders[draw->vertex_shader], binding)) stages |= vk::stage::kVertexShader;
  if (draw->fragment_shader && shader_uses(plan.shaders[*draw->fragment_shader], binding))
    stages |= vk::stage::kFragmentShader;
  return stages;
}

// The minimum on any device: texels without padding. Unknown formats count one byte, so that they still have a range.
std::uint64_t size_of(const Resource& resource) {
  if (const auto* buffer = std::get_if<Buffer>(&resource.kind)) return buffer->size;
  const auto& image = std::get<Image>(resource.kind);
  const tensor::FormatInfo* format = tensor::find_format(image.format);
  return format ? tensor::level_bytes(*format, image.extent[0], image.extent[1], image.slices()).value_or(1) : 1;
}

void add_resolve(const std::optional<Resolve>& resolve, const Origin& origin, std::vector<Access>& accesses) {
  if (!resolve) return;
  // Resolving is part of the output of colours, for depth and stencil too (Vulkan 1.3, "Render Pass Resolve
  // Operations").
  accesses.push_back({.resource = resolve->image,
                      .stages = vk::stage::kColorAttachmentOutput,
                      .writes = vk::access::kColorAttachmentWrite,
                      .levels = {resolve->level, 1},
                      .origin = &origin});
}

void add_colors(const Draw& draw, std::vector<Access>& accesses) {
  for (std::size_t i = 0; i < draw.color_attachments.size(); ++i) {
    const Attachment& attachment = draw.color_attachments[i];
    const vk::ColorBlend blend = vk::blend_of(draw.state, i);
    // What is not written stays, and blending reads what is there.
    const bool reads = attachment.load == vk::Load::Contents || blend.enabled || blend.write_mask != 0xf;
    accesses.push_back({.resource = attachment.image,
                        .stages = vk::stage::kColorAttachmentOutput,
                        .reads = reads && attachment.load != vk::Load::Clear ? vk::access::kColorAttachmentRead : 0,
                        .writes = vk::access::kColorAttachmentWrite,
                        .levels = {attachment.level, 1},
                        .origin = &attachment.origin});
    add_resolve(attachment.resolve, attachment.origin, accesses);
  }
}

void add_depth(const Draw& draw, std::vector<Access>& accesses) {
  if (!draw.depth_attachment) return;
  const DepthAttachment& attachment = *draw.depth_attachment;
  const bool loads = attachment.depth_load == vk::Load::Contents || attachment.stencil_load == vk::Load::Contents;
  accesses.push_back({.resource = attachment.image,
                      .stages = vk::stage::kEarlyFragmentTests | vk::stage::kLateFragmentTests,
                      .reads = loads ? vk::access::kDepthStencilRead : 0,
                      .writes = vk::access::kDepthStencilWrite,
                      .origin = &attachment.origin});
  add_resolve(attachment.resolve, attachment.origin, accesses);
}

void add_vertex_input(const Draw& draw, std::vector<Access>& accesses) {
  for (const VertexBuffer& vertices : draw.vertex_buffers) {
    accesses.push_back({.resource = vertices.buffer,
                        .stages = vk::stage::kVertexInput,
                        .reads = vk::access::kVertexAttributeRead,
                        .origin = &vertices.origin});
  }
  if (draw.indices) {
    accesses.push_back({.resource = draw.indices->buffer,
                        .stages = vk::stage::kVertexInput,
                        .reads = vk::access::kIndexRead,
                        .origin = &draw.indices->origin});
  }
}

void add_arguments(const Call& call, std::vector<Access>& accesses) {
  for (const CallArgument& argument : call.arguments) {
    if (!argument.reads && !argument.writes) continue;
    accesses.push_back({.resource = argument.buffer,
                        .stages = vk::stage::kHost,
                        .reads = argument.reads ? vk::access::kHostRead : 0,
                        .writes = argument.writes ? vk::access::kHostWrite : 0,
                        .origin = &argument.origin});
  }
}

}  // namespace

bool is_command(const Step& step) {
  return std::holds_alternative<Dispatch>(step.action) || std::holds_alternative<Boxed<Draw>>(step.action);
}

bool is_graph(const Plan& plan, const Step& step) {
  const auto* dispatch = std::get_if<Dispatch>(&step.action);
  return dispatch && plan.shaders[dispatch->shader].stage == spirv::Stage::Graph;
}

const GraphDispatch* graph_of_step(const Plan& plan, std::size_t step) {
  // The last that begins at or before the step.
  const auto after = std::ranges::upper_bound(plan.graphs, step, {}, &GraphDispatch::first_step);
  if (after == plan.graphs.begin()) return nullptr;
  const GraphDispatch& graph = *std::prev(after);
  return step < graph.first_step + graph.step_count ? &graph : nullptr;
}

std::optional<std::size_t> graph_index_of_step(const Plan& plan, std::size_t step) {
  const GraphDispatch* graph = graph_of_step(plan, step);
  if (!graph) return std::nullopt;
  return static_cast<std::size_t>(graph - plan.graphs.data());
}

std::span<const Binding> bindings_of(const Step& step) {
  if (const auto* dispatch = std::get_if<Dispatch>(&step.action)) return dispatch->bindings;
  if (const auto* draw = get_boxed_if<Draw>(step.action)) return draw->bindings;
  return {};
}

std::vector<Access> accesses_of(const Plan& plan, const Step& step) {
  std::vector<Access> accesses;
  for (const Binding& binding : bindings_of(step)) {
    const vk::StageFlags stages = stages_of(plan, step, binding);
    if (!stages || (!binding.reads && !binding.writes)) continue;
    const bool graph = stages == vk::stage::kDataGraph;
    accesses.push_back({.resource = binding.resource,
                        .stages = stages,
                        .reads = !binding.reads ? 0
                                 : graph        ? vk::access::kDataGraphRead
                                                : vk::access::kShaderRead,
                        .writes = !binding.writes ? 0
                                  : graph         ? vk::access::kDataGraphWrite
                                                  : vk::access::kShaderWrite,
                        .levels = levels_of(plan, binding),
                        .offset = binding.offset,
                        .size = binding.size,
                        .origin = &binding.origin});
  }
  if (const auto* draw = get_boxed_if<Draw>(step.action)) {
    add_vertex_input(*draw, accesses);
    add_colors(*draw, accesses);
    add_depth(*draw, accesses);
  }
  if (const auto* call = std::get_if<Call>(&step.action)) add_arguments(*call, accesses);
  if (const auto* copy = std::get_if<Copy>(&step.action)) {
    accesses.push_back({.resource = copy->from,
                        .stages = vk::stage::kTransfer,
                        .reads = vk::access::kTransferRead,
                        .offset = copy->from_offset,
                        .size = copy->size,
                        .origin = &step.origin});
    accesses.push_back({.resource = copy->to,
                        .stages = vk::stage::kTransfer,
                        .writes = vk::access::kTransferWrite,
                        .offset = copy->to_offset,
                        .size = copy->size,
                        .origin = &step.origin});
  }
  return accesses;
}

Levels levels_of(const Plan& plan, const Binding& binding) {
  if (binding.level) return {*binding.level, 1};
  const auto* image = std::get_if<Image>(&plan.resources[binding.resource].kind);
  if (!image || binding.type == vk::DescriptorType::STORAGE_IMAGE) return {0, 1};
  return {0, image->mips};
}

Levels levels_of(const Plan& plan, const Barrier& barrier) {
  const std::uint32_t mips = std::get<Image>(plan.resources[barrier.resource].kind).mips;
  const std::uint32_t first = std::min(barrier.base_level, mips);
  return {first, std::min(barrier.level_count, mips - first)};
}

vk::AttachmentFormats attachment_formats(const Plan& plan, const Draw& draw) {
  const auto format_of = [&](ResourceIndex image) { return std::get<Image>(plan.resources[image].kind).format; };
  vk::AttachmentFormats formats;
  for (const Attachment& attachment : draw.color_attachments) formats.colors.push_back(format_of(attachment.image));
  if (draw.depth_attachment) formats.depth_stencil = format_of(draw.depth_attachment->image);
  return formats;
}

std::vector<MemoryRange> memory_ranges(const Plan& plan) {
  std::vector<MemoryRange> ranges;
  std::map<std::string_view, std::size_t> groups;
  for (const Resource& resource : plan.resources) {
    const std::size_t own = ranges.size();
    const std::size_t domain = resource.sharing ? groups.try_emplace(resource.sharing->group, own).first->second : own;
    const std::uint64_t begin = resource.sharing ? resource.sharing->offset : 0;
    ranges.push_back({domain, begin, checked_add(begin, size_of(resource)).value_or(~0ull)});
  }
  return ranges;
}

MemoryRange range_of(const Access& access, std::span<const MemoryRange> ranges) {
  const MemoryRange& all = ranges[access.resource];
  const std::uint64_t begin = std::min(all.begin + access.offset, all.end);
  return {all.domain, begin, access.size == 0 ? all.end : std::min(begin + access.size, all.end)};
}

vk::StageFlags executed_stages(vk::StageFlags stages, bool native_graphs) {
  if (stages & vk::stage::kDataGraph) stages |= vk::stage::kComputeShader;
  return native_graphs ? stages : stages & ~vk::stage::kDataGraph;
}

vk::AccessFlags executed_accesses(vk::AccessFlags accesses, bool native_graphs) {
  if (accesses & vk::access::kDataGraphRead) accesses |= vk::access::kShaderRead;
  if (accesses & vk::access::kDataGraphWrite) accesses |= vk::access::kShaderWrite;
  return native_graphs ? accesses : accesses & ~(vk::access::kDataGraphRead | vk::access::kDataGraphWrite);
}

bool has_native_graphs(const Plan& plan) {
  return std::ranges::contains(plan.shaders, spirv::Stage::Graph, &Shader::stage);
}

}  // namespace slipway::launch
