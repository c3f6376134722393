// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "launch/plan/explain.hpp"

#include <string_view>
#include <utility>

#include "base/format.hpp"
#include "launch/plan/accesses.hpp"
#include "launch/plan/layouts.hpp"
#include "tensor/element.hpp"
#include "vk/view_shape.hpp"

namespace slipway::launch {
namespace {

template <class... Visitors>
struct Overloaded : Visitors... {
  using Visitors::operator()...;
};

// --- resources -------------------------------------------------------------------------------------------------------

std::string describe(const Buffer& buffer) {
  std::string text = formatted("buffer, {} bytes", buffer.size);
  if (buffer.uniform) text += ", uniform";
  if (buffer.texels) text += ", texels";
  if (buffer.vertices) text += ", vertices";
  if (buffer.indices) text += ", indices";
  for (const vk::TensorInfo& tensor : buffer.tensors) {
    text += formatted(", tensor {} {}", vk::name_of(tensor.format), tensor::shape_text(tensor.shape));
    if (tensor.shaders) text += " for shaders";
    if (tensor.graphs) text += tensor.shaders ? " and graphs" : " for graphs";
  }
  if (buffer.rows)
    text += formatted(", {} rows of {} bytes in image {}", buffer.rows->count, buffer.rows->bytes, buffer.rows->image);
  if (buffer.external) text += ", external";
  return text;
}

std::string describe(const Sampler& sampler) {
  const auto filter = [](vk::Filter of) { return of == vk::Filter::LINEAR ? "linear" : "nearest"; };
  std::string modes = vk::name_of(sampler.address_mode);
  if (sampler.address_mode_v) modes += " and " + vk::name_of(*sampler.address_mode_v);
  return formatted("    sampler: min {}, mag {}, mip {}, {}, {}{}\n", filter(sampler.min_filter),
                   filter(sampler.mag_filter), filter(sampler.mip_filter), modes, vk::name_of(sampler.border_color),
                   sampler.compare ? formatted(", compares {}", vk::word_of(*sampler.compare)) : "");
}

std::string describe(const Image& image) {
  std::string text = formatted("image, {} {}x{}", vk::name_of(image.format), image.extent[0], image.extent[1]);
  if (image.extent[2] > 1) text += formatted("x{}", image.extent[2]);
  if (image.layers > 1) text += formatted(", {} layers", image.layers);
  if (image.mips > 1) text += formatted(", {} mips", image.mips);
  if (image.sampled) text += ", sampled";
  if (image.storage) text += ", storage";
  if (image.samples > 1) text += formatted(", {} samples", image.samples);
  if (image.color_attachment) text += ", colour attachment";
  if (image.depth_attachment) text += ", depth attachment";
  if (image.cube) text += ", cube";
  if (image.line.value_or(false)) text += ", 1d";
  if (image.tiling) text += *image.tiling == vk::Tiling::Linear ? ", linear" : ", optimal";
  return text;
}

std::string print_resource(std::size_t index, const Resource& resource) {
  std::string text = formatted("  {} `{}`: ", index, resource.name);
  text += std::visit([](const auto& kind) { return describe(kind); }, resource.kind);
  if (resource.sharing) text += formatted(", in memory `{}` at {}", resource.sharing->group, resource.sharing->offset);
  text += "\n";
  const auto* image = std::get_if<Image>(&resource.kind);
  if (image && image->sampled) text += describe(image->sampler);
  for (std::size_t level = 0; level < resource.initial.size(); ++level) {
    text += image ? formatted("    level {} begins with {} bytes of contents\n", level, resource.initial[level].size)
                  : formatted("    begins with {} bytes of contents\n", resource.initial[level].size);
  }
  for (const Output& output : resource.outputs) text += formatted("    stored in {}\n", output.path.string());
  return text;
}

// --- shaders ---------------------------------------------------------------------------------------------------------

std::string hex(Bytes bytes) {
  std::string text;
  for (const std::byte byte : bytes) text += formatted("{:02x}", std::to_integer<unsigned>(byte));
  return text;
}

std::string print_shader(std::size_t index, const Shader& shader) {
  std::string text = formatted("  {} `{}`: {} `{}`, {} words of SPIR-V", index, shader.name, name_of(shader.stage),
                               shader.entry, shader.spirv ? shader.spirv->size() : 0);
  if (shader.push_constant_size) text += formatted(", {} bytes of push constants", shader.push_constant_size);
  if (shader.emulates_tensors) text += ", tensors as buffers";
  if (!shader.emulated_because.empty()) text += formatted(" ({})", shader.emulated_because);
  if (!shader.graph_constants.empty()) text += formatted(", {} graph constants", shader.graph_constants.size());
  text += "\n";
  for (const RowStride& stride : shader.row_strides) {
    text += formatted("    specialization constant {}: bytes between the rows of resource {}\n", stride.constant,
                      stride.rows);
  }
  for (const Specialization& constant : shader.specializations) {
    text += formatted("    specialization constant {}: bytes {}\n", constant.id, hex(constant.bytes));
  }
  return text;
}

// --- steps -----------------------------------------------------------------------------------------------------------

// Of a binding or an argument.
std::string_view access_words(const auto& use) {
  if (use.reads && use.writes) return "read and written";
  if (use.reads) return "read";
  return use.writes ? "written" : "not used";
}

std::string_view view_word(vk::ViewShape shape) {
  switch (shape) {
    case vk::ViewShape::Plain:
      return "image";
    case vk::ViewShape::Array:
      return "array";
    case vk::ViewShape::Cube:
      return "cube";
    case vk::ViewShape::CubeArray:
      return "array of cubes";
  }
  return "unknown view";
}

std::string print_bindings(const Plan& plan, std::span<const Binding> bindings) {
  std::string text;
  for (const Binding& binding : bindings) {
    if (binding.address_at) {
      text += formatted("      address at {}: `{}`", *binding.address_at, plan.resources[binding.resource].name);
      if (binding.offset > 0) text += formatted(" from byte {}", binding.offset);
      text += formatted(", {}\n", access_words(binding));
      continue;
    }
    text += formatted("      set {} binding {}", binding.set, binding.binding);
    if (binding.count > 1) text += formatted("[{}]", binding.element);
    text += formatted(": `{}`", plan.resources[binding.resource].name);
    if (binding.level) text += formatted(" level {}", *binding.level);
    if (binding.texels != vk::Format::UNDEFINED) text += formatted(" as {}", vk::name_of(binding.texels));
    if (binding.view != vk::ViewShape::Plain) text += formatted(" as {}", view_word(binding.view));
    if (binding.offset > 0 || binding.size > 0) text += formatted(" from byte {}", binding.offset);
    if (binding.size > 0) text += formatted(" to {}", binding.offset + binding.size);
    text += formatted(", {}, {}\n", vk::name_of(binding.type), access_words(binding));
  }
  return text;
}

std::string print_push_constants(Bytes bytes) {
  return bytes.empty() ? std::string() : formatted("      push constants: bytes {}\n", hex(bytes));
}

std::string print_action(const Plan& plan, const Dispatch& dispatch) {
  if (plan.shaders[dispatch.shader].stage == spirv::Stage::Graph) {
    return formatted("graph `{}` of the device\n", plan.shaders[dispatch.shader].name) +
           print_bindings(plan, dispatch.bindings);
  }
  return formatted("dispatch `{}`, {} x {} x {} workgroups\n", plan.shaders[dispatch.shader].name, dispatch.groups[0],
                   dispatch.groups[1], dispatch.groups[2]) +
         print_bindings(plan, dispatch.bindings) + print_push_constants(dispatch.push_constants);
}

std::string print_load(vk::Load load, std::string_view clear) {
  switch (load) {
    case vk::Load::DontCare:
      return "";
    case vk::Load::Contents:
      return ", loaded";
    case vk::Load::Clear:
      return formatted(", cleared to {}", clear);
  }
  std::unreachable();
}

std::string print_resolve(const Plan& plan, const std::optional<Resolve>& resolve) {
  if (!resolve) return "";
  return formatted(", resolved to `{}` level {}", plan.resources[resolve->image].name, resolve->level);
}

std::string print_attachment(const Plan& plan, const Attachment& attachment) {
  const auto [r, g, b, a] = attachment.clear;
  return formatted("      colour attachment: `{}` level {}{}{}\n", plan.resources[attachment.image].name,
                   attachment.level, print_load(attachment.load, formatted("{:#x} {:#x} {:#x} {:#x}", r, g, b, a)),
                   print_resolve(plan, attachment.resolve));
}

std::string print_attachment(const Plan& plan, const DepthAttachment& attachment) {
  std::string text = formatted("      depth attachment: `{}`", plan.resources[attachment.image].name);
  const auto add = [&](std::string_view aspect, const std::string& load) {
    if (!load.empty()) text += formatted(", {}{}", aspect, load.substr(1));
  };
  add("depth", print_load(attachment.depth_load, formatted("{}", attachment.clear_depth)));
  add("stencil", print_load(attachment.stencil_load, formatted("{}", attachment.clear_stencil)));
  return text + print_resolve(plan, attachment.resolve) + "\n";
}

std::string print_vertex_input(const Plan& plan, const Draw& draw) {
  std::string text;
  for (const VertexBuffer& vertices : draw.vertex_buffers) {
    text += formatted("      vertex binding {}: `{}`\n", vertices.binding, plan.resources[vertices.buffer].name);
  }
  if (draw.indices) {
    text += formatted("      indices: `{}`, {}\n", plan.resources[draw.indices->buffer].name,
                      vk::word_of(draw.indices->type));
  }
  return text;
}

std::string print_action(const Plan& plan, const Draw& draw) {
  std::string text = formatted("draw `{}`", plan.shaders[draw.vertex_shader].name);
  if (draw.fragment_shader) text += formatted(" and `{}`", plan.shaders[*draw.fragment_shader].name);
  text += formatted(", {}x{}", draw.extent[0], draw.extent[1]);
  if (draw.count != 3 || draw.indices) text += formatted(", {} {}", draw.count, draw.indices ? "indices" : "vertices");
  if (draw.first_vertex != 0) text += formatted(" from vertex {}", draw.first_vertex);
  if (draw.instances != 1) text += formatted(", {} instances", draw.instances);
  text += "\n" + vk::print_graphics_state(draw.state, "      ") + print_vertex_input(plan, draw);
  for (const Attachment& attachment : draw.color_attachments) text += print_attachment(plan, attachment);
  if (draw.depth_attachment) text += print_attachment(plan, *draw.depth_attachment);
  return text + print_bindings(plan, draw.bindings) + print_push_constants(draw.push_constants);
}

std::string print_barrier(const Plan& plan, const Barrier& barrier) {
  std::string text = formatted("      `{}`: ", barrier.name);
  switch (barrier.kind) {
    case Barrier::Kind::Memory:
      text += "all memory";
      break;
    case Barrier::Kind::Buffer:
      text += formatted("`{}` bytes {} to {}", plan.resources[barrier.resource].name, barrier.offset,
                        barrier.offset + barrier.size);
      break;
    case Barrier::Kind::Image:
      text +=
          formatted("`{}` levels {} to {}, {} to {}", plan.resources[barrier.resource].name, barrier.base_level,
                    barrier.base_level + barrier.level_count, name_of(barrier.old_layout), name_of(barrier.new_layout));
      break;
  }
  return text + formatted(", stages {:#x} to {:#x}, access {:#x} to {:#x}\n", barrier.src_stage, barrier.dst_stage,
                          barrier.src_access, barrier.dst_access);
}

std::string print_action(const Plan& plan, const Barriers& barriers) {
  std::string text = "barriers\n";
  for (const Barrier& barrier : barriers.barriers) text += print_barrier(plan, barrier);
  return text;
}

std::string print_action(const Plan& plan, const Boundary& boundary) {
  std::string text = "frame boundary";
  if (boundary.frame_id) text += formatted(", frame {}", *boundary.frame_id);
  for (const ResourceIndex resource : boundary.resources) text += formatted(", `{}`", plan.resources[resource].name);
  return text + "\n";
}

std::string print_action(const Plan& plan, const Copy& copy) {
  return formatted("copy {} bytes, `{}` at {} to `{}` at {}\n", copy.size, plan.resources[copy.from].name,
                   copy.from_offset, plan.resources[copy.to].name, copy.to_offset);
}

std::string print_action(const Plan& plan, const Call& call) {
  std::string text = "call a function of the host\n";
  for (std::size_t i = 0; i < call.arguments.size(); ++i) {
    const CallArgument& argument = call.arguments[i];
    text += formatted("      argument {}: `{}`, {}\n", i, plan.resources[argument.buffer].name, access_words(argument));
  }
  return text;
}

std::string print_step(const Plan& plan, std::size_t index, const Step& step) {
  std::string text;
  const GraphDispatch* graph = graph_of_step(plan, index);
  if (graph && index == graph->first_step && !graph->emulated_because.empty())
    text += formatted("  graph `{}` is emulated: {}\n", graph->name, graph->emulated_because);
  text += formatted("  {} `{}`: ", index, step.name);
  text += std::visit([&](const auto& action) { return print_action(plan, action); }, step.action);
  if ((is_command(step) || std::holds_alternative<Copy>(step.action)) && step.barrier_after)
    text += step.next_waits ? "      the next shaders wait in their code\n" : "      full barrier\n";
  return text;
}

// --- expectations ----------------------------------------------------------------------------------------------------

std::string print_expectation(const Plan& plan, const Expectation& expectation) {
  const std::string expected =
      std::visit(Overloaded{
                     [](const Contents& contents) { return formatted("{} bytes of contents", contents.size); },
                     [&](ResourceIndex other) { return formatted("`{}`", plan.resources[other].name); },
                 },
                 expectation.expected);
  std::string text = formatted("  `{}`, {} {}, equals {}", plan.resources[expectation.resource].name,
                               tensor::name_of(expectation.type), tensor::shape_text(expectation.shape), expected);
  const tensor::Tolerance& tolerance = expectation.tolerance;
  if (tolerance.abs > 0) text += formatted(", abs {}", tensor::shortest_text(tolerance.abs));
  if (tolerance.rel > 0) text += formatted(", rel {}", tensor::shortest_text(tolerance.rel));
  if (tolerance.ulp > 0) text += formatted(", ulp {}", tolerance.ulp);
  if (tolerance.max_mismatches > 0) text += formatted(", but for {} elements", tolerance.max_mismatches);
  return text + "\n";
}

}  // namespace

void print_plan(const Plan& plan, const std::function<void(std::string_view)>& print) {
  constexpr std::size_t kPart = 1 << 16;
  std::string text = formatted("plan of {}\n", plan.name);
  const auto add = [&](std::string_view more) {
    text += more;
    if (text.size() < kPart) return;
    print(text);
    text.clear();
  };
  if (!plan.resources.empty()) add("resources\n");
  for (std::size_t i = 0; i < plan.resources.size(); ++i) add(print_resource(i, plan.resources[i]));
  if (!plan.shaders.empty()) add("shaders\n");
  for (std::size_t i = 0; i < plan.shaders.size(); ++i) add(print_shader(i, plan.shaders[i]));
  if (!plan.steps.empty()) add("steps\n");
  for (std::size_t i = 0; i < plan.steps.size(); ++i) add(print_step(plan, i, plan.steps[i]));
  if (!plan.expectations.empty()) add("expectations\n");
  for (const Expectation& expectation : plan.expectations) add(print_expectation(plan, expectation));
  print(text);
}

std::string print_plan(const Plan& plan) {
  std::string text;
  print_plan(plan, [&](std::string_view part) { text += part; });
  return text;
}

}  // namespace slipway::launch
