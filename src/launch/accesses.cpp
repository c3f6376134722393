#include "launch/accesses.hpp"

#include <algorithm>
#include <map>

#include "tensor/format.hpp"

namespace slipway::launch {
namespace {

bool shader_uses(const Shader& shader, const Binding& binding) {
  const spirv::EntryPoint* entry = shader.reflection ? shader.reflection->find(shader.entry, shader.stage) : nullptr;
  if (!entry) return true;
  return std::ranges::any_of(entry->bindings, [&](const spirv::Binding& declared) {
    return declared.used && declared.set == binding.set && declared.binding == binding.binding;
  });
}

vk::StageFlags stages_of(const Plan& plan, const Step& step, const Binding& binding) {
  const auto* draw = std::get_if<DrawFullscreen>(&step.action);
  if (!draw) return vk::stage::kComputeShader;
  vk::StageFlags stages = 0;
  if (shader_uses(plan.shaders[draw->vertex_shader], binding)) stages |= vk::stage::kVertexShader;
  if (shader_uses(plan.shaders[draw->fragment_shader], binding)) stages |= vk::stage::kFragmentShader;
  return stages;
}

// The least that any device takes: texels without padding. Formats that we know nothing of count one byte, so that they
// still have a place.
std::uint64_t size_of(const Resource& resource) {
  if (const auto* buffer = std::get_if<Buffer>(&resource.kind)) return buffer->size;
  const auto& image = std::get<Image>(resource.kind);
  const tensor::FormatInfo* format = tensor::find_format(image.format);
  return format ? tensor::level_bytes(*format, image.extent[0], image.extent[1], image.extent[2]).value_or(1) : 1;
}

}  // namespace

std::span<const Binding> bindings_of(const Step& step) {
  if (const auto* dispatch = std::get_if<Dispatch>(&step.action)) return dispatch->bindings;
  if (const auto* draw = std::get_if<DrawFullscreen>(&step.action)) return draw->bindings;
  return {};
}

std::vector<Access> accesses_of(const Plan& plan, const Step& step) {
  std::vector<Access> accesses;
  for (const Binding& binding : bindings_of(step)) {
    const vk::StageFlags stages = stages_of(plan, step, binding);
    if (!stages || (!binding.reads && !binding.writes)) continue;
    accesses.push_back({.resource = binding.resource,
                        .stages = stages,
                        .reads = binding.reads ? vk::access::kShaderRead : 0,
                        .writes = binding.writes ? vk::access::kShaderWrite : 0,
                        .levels = levels_of(plan, binding),
                        .origin = &binding.origin});
  }
  if (const auto* draw = std::get_if<DrawFullscreen>(&step.action)) {
    for (const Attachment& attachment : draw->color_attachments) {
      accesses.push_back({.resource = attachment.image,
                          .stages = vk::stage::kColorAttachmentOutput,
                          .writes = vk::access::kColorAttachmentWrite,
                          .levels = {attachment.level, 1},
                          .origin = &attachment.origin});
    }
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

vk::StageFlags executed_stages(vk::StageFlags stages) {
  if (stages & vk::stage::kDataGraph) stages |= vk::stage::kComputeShader;
  return stages & ~vk::stage::kDataGraph;
}

vk::AccessFlags executed_accesses(vk::AccessFlags accesses) {
  if (accesses & vk::access::kDataGraphRead) accesses |= vk::access::kShaderRead;
  if (accesses & vk::access::kDataGraphWrite) accesses |= vk::access::kShaderWrite;
  return accesses & ~(vk::access::kDataGraphRead | vk::access::kDataGraphWrite);
}

}  // namespace slipway::launch
