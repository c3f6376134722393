// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The `draw` command (docs/spec/scenario.md#additive-keys): an RPL graphics pipeline with its inputs and attachments.
#include <algorithm>
#include <bit>
#include <ranges>

#include "base/format.hpp"
#include "launch/plan/accesses.hpp"
#include "scenario/contents/contents.hpp"
#include "scenario/contents/inline_contents.hpp"
#include "scenario/plan/planning.hpp"
#include "scenario/plan/push_constants.hpp"
#include "scenario/rpl/names.hpp"
#include "scenario/rpl/pipeline.hpp"
#include "tensor/format.hpp"
#include "vk/image_plan.hpp"

namespace slipway::scenario {
namespace {

// The bits of a clear value's components in the format; empty for an integer format that cannot represent one.
std::optional<std::array<std::uint32_t, 4>> clear_bits(const std::array<double, 4>& clear, vk::Format format) {
  const tensor::FormatInfo* info = tensor::find_format(format);
  const auto numeric = info ? info->numeric : tensor::NumericFormat::Sfloat;
  std::array<std::uint32_t, 4> bits{};
  for (std::size_t i = 0; i < bits.size(); ++i) {
    if (numeric != tensor::NumericFormat::Uint && numeric != tensor::NumericFormat::Sint) {
      bits[i] = std::bit_cast<std::uint32_t>(static_cast<float>(clear[i]));
      continue;
    }
    const auto whole = static_cast<std::int64_t>(std::clamp(clear[i], -4294967296., 4294967296.));
    const bool is_signed = numeric == tensor::NumericFormat::Sint;
    const std::int64_t least = is_signed ? INT32_MIN : 0, most = is_signed ? INT32_MAX : std::int64_t{UINT32_MAX};
    if (static_cast<double>(whole) != clear[i] || whole < least || whole > most) return std::nullopt;
    bits[i] = static_cast<std::uint32_t>(whole);
  }
  return bits;
}

class DrawPlanner {
 public:
  DrawPlanner(Planning& planning, const Draw& command, const CompiledShader& shader)
      : planning_(planning), command_(command), metadata_(*shader.metadata), draw_{.state = graphics_state(metadata_)} {
    draw_.vertex_shader = shader_in_plan(planning, command.shader.uid, shader.shader);
    stages_.push_back(interface_of(planning, draw_.vertex_shader));
    if (!shader.fragment) return;
    draw_.fragment_shader = shader_in_plan(planning, command.shader.uid + " fragment", *shader.fragment);
    stages_.push_back(interface_of(planning, *draw_.fragment_shader));
  }

  void make() {
    add_indices();
    add_vertices();
    add_colors();
    add_depth();
    draw_.instances = command_.instances;
    draw_.first_vertex = command_.first_vertex;
    if (command_.render_extent) draw_.extent = *command_.render_extent;
    bind();
    push();
    planning_.plan.steps.push_back({.name = command_.debug_name,
                                    .action = std::move(draw_),
                                    .barrier_after = command_.implicit_barrier,
                                    .origin = origin_of(command_.at)});
  }

 private:
  const std::string& shader() const { return command_.shader.uid; }

  Diagnostic& error(json::Value at, DiagnosticKind kind, std::string message) {
    return planning_.diagnostics.add(json::problem(at, kind, std::move(message)));
  }
  // The location for errors about keys that the command lacks.
  Diagnostic& lacks(DiagnosticKind kind, std::string message) {
    Diagnostic& missing = error(command_.at, kind, std::move(message));
    missing.location = command_.at.opening();
    return missing;
  }

  template <class T>
  T* planned(launch::ResourceIndex index) {
    return std::get_if<T>(&planning_.plan.resources[index].kind);
  }

  // Empty when the resource has errors.
  std::optional<launch::ResourceIndex> find(const Reference& reference) const {
    const auto found = planning_.resources.find(reference.uid);
    return found == planning_.resources.end() ? std::nullopt : std::optional(found->second);
  }

  // Adds a resource that is not in the file.
  template <class T>
  launch::ResourceIndex add_resource(std::string name, T kind, json::Value at) {
    planning_.plan.resources.push_back({.name = std::move(name), .kind = std::move(kind), .origin = origin_of(at)});
    return static_cast<launch::ResourceIndex>(planning_.plan.resources.size() - 1);
  }

  launch::ResourceIndex add_buffer(std::string name, std::vector<std::byte> bytes, launch::Buffer kind,
                                   json::Value at) {
    kind.size = bytes.size();
    const launch::ResourceIndex index = add_resource(std::move(name), kind, at);
    planning_.plan.resources[index].initial = {stored_contents(std::move(bytes))};
    return index;
  }

  // --- vertices -----------------------------------------------------------------------------------------------------

  void add_indices() {
    if (!command_.indices) {
      draw_.count = command_.vertices.value_or(0);
      vertices_ = std::uint64_t{command_.first_vertex} + draw_.count;
      return;
    }
    const vk::IndexType type = command_.index_type == IndexType::U32 ? vk::IndexType::U32 : vk::IndexType::U16;
    const auto raw = planning_.raw_data.find(command_.indices.uid);
    const auto index = raw != planning_.raw_data.end() ? indices_of(raw->second, type) : find(command_.indices);
    if (!index) return;
    auto& buffer = std::get<launch::Buffer>(planning_.plan.resources[*index].kind);
    buffer.indices = true;
    draw_.indices = launch::IndexBuffer{.buffer = *index, .type = type, .origin = origin_of(command_.indices.at)};
    const std::uint64_t count = buffer.size / vk::size_of(type);
    draw_.count = static_cast<std::uint32_t>(std::min<std::uint64_t>(count, UINT32_MAX));
    if (buffer.size % vk::size_of(type) != 0 || count == 0 || count > UINT32_MAX) {
      error(command_.indices.at, DiagnosticKind::OutOfRange,
            formatted("`{}` has {} bytes, which is not a whole number of {} indices", command_.indices.uid, buffer.size,
                      vk::word_of(type)));
    }
  }

  // The index buffer is raw data, so its largest index is known.
  std::optional<launch::ResourceIndex> indices_of(const launch::Contents& raw, vk::IndexType type) {
    const Result<std::vector<std::byte>> bytes = read_contents(raw);
    if (!bytes) {
      planning_.diagnostics.add(bytes.error());
      return std::nullopt;
    }
    const std::uint32_t size = vk::size_of(type);
    const std::uint32_t restart = type == vk::IndexType::U16 ? 0xffffu : 0xffffffffu;
    for (std::size_t at = 0; at + size <= bytes->size(); at += size) {
      const std::uint32_t index = size == 2 ? load<std::uint16_t>(&(*bytes)[at]) : load<std::uint32_t>(&(*bytes)[at]);
      if (draw_.state.primitive_restart && index == restart) continue;
      vertices_ = std::max(vertices_, std::uint64_t{index} + command_.first_vertex + 1);
    }
    if (bytes->empty()) {
      error(command_.indices.at, DiagnosticKind::OutOfRange, formatted("`{}` contains no index", command_.indices.uid));
      return std::nullopt;
    }
    return add_buffer(command_.indices.uid, *bytes, {.indices = true}, command_.indices.at);
  }

  void add_vertices() {
    const auto& sources = metadata_.pipeline_interface.attribute_sources;
    for (const VertexAttribute& attribute : command_.attributes) {
      const auto source = std::ranges::find(sources, attribute.source, &rpl::MetadataAttributeSource::name);
      if (source != sources.end()) {
        add_vertices(attribute, *source);
        continue;
      }
      std::vector<std::string_view> names;
      for (const auto& known : sources) names.push_back(known.name);
      const json::Value at = command_.at["attributes"][attribute.source];
      planning_.diagnostics.add(
          unknown_name(at, at.key_location(), attribute.source,
                       formatted("shader `{}` has no attribute source `{}`", shader(), attribute.source), names));
    }
    for (const auto& source : sources) {
      if (std::ranges::contains(command_.attributes, source.name, &VertexAttribute::source)) continue;
      lacks(DiagnosticKind::MissingKey,
            formatted("`attributes` has no buffer for `{}`, whose elements have {} bytes in shader `{}`", source.name,
                      source.block_size, shader()));
    }
  }

  void add_vertices(const VertexAttribute& attribute, const rpl::MetadataAttributeSource& source) {
    const auto index = find(attribute.buffer);
    auto* buffer = index ? planned<launch::Buffer>(*index) : nullptr;
    if (!buffer) return;
    buffer->vertices = true;
    draw_.vertex_buffers.push_back(
        {.binding = source.binding, .buffer = *index, .origin = origin_of(attribute.buffer.at)});
    const bool by_instance = source.rate == rpl::MetadataRate::Instance;
    const std::uint64_t elements = by_instance ? command_.instances : vertices_;
    if (elements <= buffer->size / std::max(1u, source.block_size)) return;
    error(
        attribute.buffer.at, DiagnosticKind::OutOfRange,
        formatted("buffer `{}` has {} bytes, but the draw reads {} {} of `{}` with {} bytes each", attribute.buffer.uid,
                  buffer->size, elements, by_instance ? "instances" : "vertices", source.name, source.block_size));
  }

  // --- attachments --------------------------------------------------------------------------------------------------

  void add_colors() {
    const auto& outputs = metadata_.color_outputs;
    std::vector<const ColorAttachment*> by_output(outputs.size());
    for (std::size_t i = 0; i < command_.color_attachments.size(); ++i) {
      const ColorAttachment& attachment = command_.color_attachments[i];
      if (const auto output = output_of(attachment, i)) {
        if (by_output[*output]) {
          error(attachment.image.at, DiagnosticKind::DuplicateName,
                formatted("two attachments for the colour output `{}`", outputs[*output].name))
              .note("the first one is here", by_output[*output]->image.at.location());
        }
        by_output[*output] = &attachment;
      }
    }
    for (std::size_t i = 0; i < outputs.size(); ++i) {
      if (by_output[i]) {
        add_color(*by_output[i], outputs[i], i);
      } else if (command_.color_attachments.size() < outputs.size()) {
        lacks(DiagnosticKind::MissingKey,
              formatted("`color_attachments` has no image for the colour output `{}` of shader `{}`", outputs[i].name,
                        shader()));
      }
    }
  }

  // The output that an attachment is for.
  std::optional<std::size_t> output_of(const ColorAttachment& attachment, std::size_t position) {
    const auto& outputs = metadata_.color_outputs;
    if (attachment.output.empty()) {
      if (position < outputs.size()) return position;
      error(attachment.image.at, DiagnosticKind::IndexOutOfRange,
            formatted("this is attachment {}, but shader `{}` has {} colour outputs", position, shader(),
                      outputs.size()));
      return std::nullopt;
    }
    const auto found = std::ranges::find(outputs, attachment.output, &rpl::MetadataColorOutput::name);
    if (found != outputs.end()) return static_cast<std::size_t>(found - outputs.begin());
    std::vector<std::string_view> names;
    for (const auto& output : outputs) names.push_back(output.name);
    const json::Value at = attachment.image.at.parent()["output"];
    planning_.diagnostics.add(
        unknown_name(at, at.location(), attachment.output,
                     formatted("shader `{}` has no colour output `{}`", shader(), attachment.output), names));
    return std::nullopt;
  }

  void add_color(const ColorAttachment& attachment, const rpl::MetadataColorOutput& output, std::size_t position) {
    const auto index = find(attachment.image);
    const auto* image = index ? planned<launch::Image>(*index) : nullptr;
    if (!image) return;
    const vk::Format wanted = attachment_formats(metadata_).colors[position];
    if (image->format != wanted) {
      error(attachment.image.at, DiagnosticKind::BindingMismatch,
            formatted("colour output `{}` of shader `{}` is of {}, but image `{}` has {}", output.name, shader(),
                      vk::name_of(wanted), attachment.image.uid, vk::name_of(image->format)))
          .hint(
              formatted("`color_output_format block {}` of the shader and `format` of the image must agree", position));
    }
    launch::Attachment made{.image = *index,
                            .level = attachment.lod.value_or(0),
                            .load = attachment.clear ? vk::Load::Clear : vk::Load::Contents,
                            .origin = origin_of(attachment.image.at)};
    if (attachment.clear) {
      const json::Value at = attachment.image.at.parent()["clear"];
      if (const auto bits = clear_bits(*attachment.clear, wanted)) {
        made.clear = *bits;
      } else {
        error(at, DiagnosticKind::OutOfRange,
              formatted("{} holds 32-bit integers, but the values are not", vk::name_of(wanted)));
      }
    }
    const auto extent = level_extent(*image, made.level);
    if (draw_.color_attachments.empty()) draw_.extent = extent;
    made.resolve = multisampled(made.image, made.level, made.load == vk::Load::Clear, attachment.image);
    draw_.color_attachments.push_back(std::move(made));
  }

  void add_depth() {
    const vk::Format wanted = attachment_formats(metadata_).depth_stencil;
    if (!command_.depth_attachment) {
      if (wanted == vk::Format::UNDEFINED) return;
      lacks(DiagnosticKind::MissingKey, formatted("shader `{}` draws with depth or stencil and needs a "
                                                  "`depth_attachment` of {}",
                                                  shader(), vk::name_of(wanted)))
          .hint("without one it needs `setting depth_test = off;` and `setting depth_write = off;`");
      return;
    }
    const DepthAttachment& attachment = *command_.depth_attachment;
    const auto index = find(attachment.image);
    const auto* image = index ? planned<launch::Image>(*index) : nullptr;
    if (!image) return;
    if (wanted == vk::Format::UNDEFINED) {
      error(attachment.image.at, DiagnosticKind::BindingMismatch,
            formatted("shader `{}` draws without depth and stencil: it has no `depth_stencil_format`", shader()));
      return;
    }
    if (image->format != wanted) {
      error(attachment.image.at, DiagnosticKind::BindingMismatch,
            formatted("the `depth_stencil_format` of shader `{}` is {}, but image `{}` has {}", shader(),
                      vk::name_of(wanted), attachment.image.uid, vk::name_of(image->format)));
    }
    using enum vk::Load;
    launch::DepthAttachment made{.image = *index,
                                 .depth_load = attachment.clear ? Clear : Contents,
                                 .stencil_load = attachment.stencil_clear ? Clear : Contents,
                                 .clear_depth = static_cast<float>(attachment.clear.value_or(0)),
                                 .clear_stencil = attachment.stencil_clear.value_or(0),
                                 .origin = origin_of(attachment.image.at)};
    if (attachment.clear && (*attachment.clear < 0 || *attachment.clear > 1)) {
      error(attachment.image.at.parent()["clear"], DiagnosticKind::OutOfRange, "a depth is cleared to 0 to 1");
    }
    const bool clears =
        (attachment.clear || !vk::has_depth(wanted)) && (attachment.stencil_clear || !vk::has_stencil(wanted));
    if (draw_.color_attachments.empty()) draw_.extent = level_extent(*image, 0);
    made.resolve = multisampled(made.image, 0, clears, attachment.image);
    draw_.depth_attachment = made;
  }

  static std::array<std::uint32_t, 2> level_extent(const launch::Image& image, std::uint32_t level) {
    return {std::max(1u, image.extent[0] >> level), std::max(1u, image.extent[1] >> level)};
  }

  // With several samples per pixel, a multisampled image replaces the attachment, and is resolved into it. Its contents
  // can be kept when the last draw to the attachment used it; otherwise it must be cleared.
  std::optional<launch::Resolve> multisampled(launch::ResourceIndex& image, std::uint32_t level, bool clears,
                                              const Reference& reference) {
    if (draw_.state.samples == 1) return std::nullopt;
    const launch::Resolve result{.image = image, .level = level};
    SampledTarget& target = planning_.sampled_targets[{image, level, draw_.state.samples}];
    if (!clears && !(target.steps && untouched(image, level, target.steps))) {
      error(reference.at, DiagnosticKind::MissingKey,
            formatted("shader `{}` draws {} samples a pixel, so that `{}` needs `clear`", shader(), draw_.state.samples,
                      reference.uid))
          .hint("the contents of an image of one sample cannot be loaded, but those of the draw just before");
    }
    if (target.steps == 0) {
      const auto extent = level_extent(*planned<launch::Image>(image), level);
      launch::Image many = *planned<launch::Image>(image);
      many = {.format = many.format,
              .extent = {extent[0], extent[1], 1},
              .samples = draw_.state.samples,
              .color_attachment = many.color_attachment && !many.depth_attachment,
              .depth_attachment = many.depth_attachment};
      target.image = add_resource(formatted("samples of {}", reference.uid), many, reference.at);
    }
    target.steps = planning_.plan.steps.size() + 1;
    image = target.image;
    return result;
  }

  // Whether no later command has used the level.
  bool untouched(launch::ResourceIndex image, std::uint32_t level, std::size_t first_step) const {
    const launch::Plan& plan = planning_.plan;
    return std::ranges::none_of(plan.steps | std::views::drop(first_step), [&](const launch::Step& step) {
      return std::ranges::any_of(launch::accesses_of(plan, step), [&](const launch::Access& access) {
        return access.resource == image && access.writes && access.levels.contains({level, 1});
      });
    });
  }

  // --- bindings -----------------------------------------------------------------------------------------------------

  void bind() {
    const std::vector<Binding> bindings =
        number_bindings(command_.bindings, shader(), metadata_, planning_.diagnostics);
    std::vector<launch::Binding> made;
    for (ParameterBuffer& buffer :
         pack_parameters(command_.parameters, command_.bindings, shader(), metadata_, planning_.diagnostics)) {
      auto declared = declared_binding(stages_, buffer.slot.set, buffer.slot.binding);
      if (!declared) continue;  // this variant does not use it
      declared->resource = add_buffer(formatted("{} of {}", buffer.name, command_.debug_name), std::move(buffer.bytes),
                                      {.uniform = declared->type == vk::DescriptorType::UNIFORM_BUFFER}, buffer.at);
      declared->origin = origin_of(buffer.at);
      made.push_back(std::move(*declared));
    }
    const RplBindings rpl{.made = made};
    draw_.bindings = resolve_bindings(planning_.scenario, bindings, command_.at, stages_, planning_.resources,
                                      planning_.plan, planning_.diagnostics, &rpl);
    draw_.bindings.append_range(made);
  }

  void push() {
    std::uint32_t size = 0;
    for (const launch::ShaderIndex stage : {draw_.vertex_shader, draw_.fragment_shader.value_or(draw_.vertex_shader)}) {
      size = std::max(size, planning_.plan.shaders[stage].push_constant_size);
    }
    const auto data = planning_.raw_data.find(command_.push_data.uid);
    auto pushed = push_constants(command_.push_data, data == planning_.raw_data.end() ? nullptr : &data->second, size,
                                 command_.at, stages_, planning_.diagnostics);
    if (pushed) draw_.push_constants = std::move(*pushed);
  }

  Planning& planning_;
  const Draw& command_;
  const rpl::Metadata& metadata_;
  launch::Draw draw_;
  std::vector<StageInterface> stages_;
  std::uint64_t vertices_ = 0;  // read by the draw, as far as known
};

}  // namespace

void plan_draw(Planning& planning, const Draw& command) {
  const auto compiled = planning.compiled.find(command.shader.uid);
  if (compiled == planning.compiled.end()) return;
  const CompiledShader& shader = compiled->second;
  if (!shader.metadata || shader.shader.stage != spirv::Stage::Vertex) {
    planning.diagnostics.add(json::problem(
        command.shader.at, DiagnosticKind::WrongReference,
        formatted("draw requires an RPL shader with a vertex stage, which `{}` is not", command.shader.uid)));
    return;
  }
  DrawPlanner(planning, command, shader).make();
}

}  // namespace slipway::scenario
