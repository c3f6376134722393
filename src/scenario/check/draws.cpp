// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The graphics commands: dispatch_fragment (docs/spec/scenario.md#commands, docs/spec/scenario.md#shaders) and draw
// (docs/spec/scenario.md#additive-keys).
#include "base/format.hpp"
#include "scenario/check/context.hpp"
#include "tensor/format.hpp"

namespace slipway::scenario {
namespace {

using Extent = std::array<std::uint32_t, 2>;

std::string extent_text(Extent extent) { return formatted("{}x{}", extent[0], extent[1]); }

// The image of an attachment and its level; empty when it is not usable.
struct Target {
  const Image* image;
  Extent extent;
  json::Value at;
};

std::optional<Target> check_attachment(Context& context, const ColorAttachment& attachment) {
  const Image* image = context.follow<Image>(attachment.image);
  if (!image) return std::nullopt;
  if (!image->color_attachment) {
    context
        .error(attachment.image.at, DiagnosticKind::WrongReference,
               formatted("image `{}` needs `\"color_attachment\": true` to be written by fragments", image->uid))
        .note(formatted("image `{}` is here", image->uid), location_in(image->at, "color_attachment"));
  }
  const json::Value object = attachment.image.at.parent();
  if (!check_level(context, *image, attachment.lod, object["lod"],
                   "Color attachment mip level exceeds available mips")) {
    return std::nullopt;
  }
  return Target{image, level_extent(*image, attachment.lod.value_or(0)), attachment.image.at};
}

// Without a render extent all attachments must have the size of the first; otherwise each must contain the extent.
void check_extents(Context& context, const std::vector<Target>& targets, const std::optional<Extent>& extent) {
  for (const Target& target : targets) {
    if (extent) {
      if (target.extent[0] >= (*extent)[0] && target.extent[1] >= (*extent)[1]) continue;
      context.error(target.at, DiagnosticKind::OutOfRange,
                    formatted("`render_extent` is {}, but image `{}` has {} there", extent_text(*extent),
                              target.image->uid, extent_text(target.extent)));
    } else if (target.extent != targets.front().extent) {
      context
          .error(target.at, DiagnosticKind::FileMismatch,
                 formatted("All color attachments must share the same extent: image `{}` has {}, but `{}` has {}",
                           target.image->uid, extent_text(target.extent), targets.front().image->uid,
                           extent_text(targets.front().extent)))
          .note("the first one is here", targets.front().at.location());
    }
  }
}

std::vector<Target> check_attachments(Context& context, const std::vector<ColorAttachment>& attachments) {
  std::vector<Target> targets;
  for (const ColorAttachment& attachment : attachments) {
    if (const auto target = check_attachment(context, attachment)) targets.push_back(*target);
  }
  return targets;
}

const Shader* check_stage(Context& context, const Reference& reference, ShaderStage stage, std::string_view name) {
  const Shader* shader = context.follow<Shader>(reference);
  if (shader && shader->stage != stage) {
    context
        .error(
            reference.at, DiagnosticKind::WrongReference,
            formatted("DispatchFragment requires a {} shader stage here, which `{}` does not have", name, shader->uid))
        .note(formatted("shader `{}` is here", shader->uid), location_in(shader->at, "stage"));
  }
  return shader;
}

void check(Context& context, const DispatchFragment& command) {
  check_stage(context, command.vertex_shader, ShaderStage::Vertex, "vertex");
  const Shader* fragment = check_stage(context, command.fragment_shader, ShaderStage::Fragment, "fragment");
  const auto type = fragment ? fragment->likely_type() : std::nullopt;
  check_bindings(context, command.bindings,
                 type.value_or(ShaderType::Rpl) == ShaderType::Rpl ? Naming::RplShader : Naming::SetAndId);
  if (command.color_attachments.empty() && !command.render_extent) {
    Diagnostic& missing = context.error(command.at, DiagnosticKind::MissingKey,
                                        "dispatch_fragment requires color_attachment_refs or render_extent");
    missing.location = command.at.opening();
  }
  check_extents(context, check_attachments(context, command.color_attachments), command.render_extent);
  context.follow<RawData>(command.push_data);
  check_push_addresses(context, command.push_addresses);
}

void check_depth(Context& context, const DepthAttachment& attachment, const std::vector<Target>& targets,
                 const std::optional<Extent>& extent) {
  const Image* image = context.follow<Image>(attachment.image);
  if (!image || !image->format.value) return;
  const tensor::FormatInfo* info = tensor::find_format(*image->format.value);
  if (!info || (!info->depth && !info->stencil)) {
    context
        .error(
            attachment.image.at, DiagnosticKind::WrongReference,
            formatted("a depth attachment needs a depth format, but image `{}` has {}", image->uid, image->format.name))
        .note(formatted("image `{}` is here", image->uid), location_in(image->at, "format"));
  }
  if (image->layers > 1) {
    context
        .error(attachment.image.at, DiagnosticKind::WrongReference,
               formatted("a depth attachment has one layer, but image `{}` has {}", image->uid, image->layers))
        .note("`layers` is here", image->at["layers"].location());
  }
  const Target target{image, level_extent(*image, 0), attachment.image.at};
  if (extent || targets.empty()) {
    check_extents(context, {target}, extent);
  } else if (target.extent != targets.front().extent) {
    context
        .error(target.at, DiagnosticKind::FileMismatch,
               formatted("the depth attachment must have the extent of the color attachments: image `{}` has {}, but "
                         "`{}` has {}",
                         image->uid, extent_text(target.extent), targets.front().image->uid,
                         extent_text(targets.front().extent)))
        .note("the first color attachment is here", targets.front().at.location());
  }
}

void check(Context& context, const Draw& command) {
  const Shader* shader = context.follow<Shader>(command.shader);
  const auto type = shader ? shader->likely_type() : std::nullopt;
  if (type && *type != ShaderType::Rpl) {
    context
        .error(command.shader.at, DiagnosticKind::WrongReference,
               formatted("draw requires a shader of type RPL, which `{}` is not", shader->uid))
        .note(formatted("shader `{}` is here", shader->uid), location_in(shader->at, "type"));
  } else if (shader && !shader->entry_points) {
    context
        .error(command.shader.at, DiagnosticKind::WrongReference,
               formatted("draw requires a shader with `entry_points`, which `{}` does not have", shader->uid))
        .note(formatted("shader `{}` is here", shader->uid), shader->at.opening());
  }
  context.follow_any<Buffer, RawData>(command.indices);
  for (const VertexAttribute& attribute : command.attributes) context.follow<Buffer>(attribute.buffer);
  check_bindings(context, command.bindings, Naming::RplShader);
  context.follow<RawData>(command.push_data);
  const std::vector<Target> targets = check_attachments(context, command.color_attachments);
  check_extents(context, targets, command.render_extent);
  if (command.depth_attachment) check_depth(context, *command.depth_attachment, targets, command.render_extent);
  if (command.color_attachments.empty() && !command.depth_attachment && !command.render_extent) {
    Diagnostic& missing = context.error(command.at, DiagnosticKind::MissingKey,
                                        "draw requires color_attachments, depth_attachment or render_extent");
    missing.location = command.at.opening();
  }
}

}  // namespace

void check_draws(Context& context) {
  context.scenario.commands.each<DispatchFragment, Draw>([&](const Command& command) {
    if (const auto* fragment = get_boxed_if<DispatchFragment>(command)) check(context, *fragment);
    if (const auto* draw = get_boxed_if<Draw>(command)) check(context, *draw);
  });
}

}  // namespace slipway::scenario
