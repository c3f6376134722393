// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// dispatch_optical_flow: its images must fit each other (docs/spec/scenario.md#commands,
// docs/spec/scenario.md#devices-and-emulation).
#include <algorithm>

#include "base/checked.hpp"
#include "base/format.hpp"
#include "model/optical_flow/optical_flow.hpp"
#include "scenario/check/context.hpp"

namespace slipway::scenario {
namespace {

using FlowExtent = std::array<std::uint64_t, 2>;

constexpr vk::Format kSearchFormats[] = {vk::Format::R8G8B8_UNORM,   vk::Format::B8G8R8_UNORM,
                                         vk::Format::R8G8B8A8_UNORM, vk::Format::B8G8R8A8_UNORM,
                                         vk::Format::R8_UNORM,       vk::Format::B10G11R11_UFLOAT_PACK32};
constexpr vk::Format kVectorFormats[] = {vk::Format::R16G16_SFLOAT};
constexpr vk::Format kCostFormats[] = {vk::Format::R16_UINT};

// One image of the command with its requirements.
struct Role {
  std::string_view key;
  const Binding& binding;
  std::span<const vk::Format> formats;
  FlowExtent extent;
};

void check_role(Context& context, const Role& role) {
  const Image* image = context.follow<Image>(role.binding.resource);
  if (!image || !check_level(context, *image, role.binding.lod, role.binding.at["lod"],
                             "Requested level of details for the Image is greater than configured mipmaps")) {
    return;
  }
  const json::Value at = role.binding.resource.at;
  if (image->format.value && !std::ranges::contains(role.formats, *image->format.value)) {
    std::string accepted;
    for (const vk::Format format : role.formats)
      accepted += formatted("{}{}", accepted.empty() ? "" : ", ", vk::name_of(format));
    context.error(at, DiagnosticKind::FileMismatch,
                  formatted("`{}` must have one of the formats {}, but image `{}` has {}", role.key, accepted,
                            image->uid, image->format.name));
  }
  if (image->layers > 1 || image->extent[2] > 1) {
    context.error(at, DiagnosticKind::WrongReference,
                  formatted("`{}` must be a 2D image with one layer, but image `{}` has {} layers and depth {}",
                            role.key, image->uid, image->layers, image->extent[2]));
  }
  const auto [width, height] = level_extent(*image, role.binding.lod.value_or(0));
  if (FlowExtent{width, height} == role.extent) return;
  context.error(at, DiagnosticKind::FileMismatch,
                formatted("`{}` must be {}x{}, but image `{}` is {}x{}", role.key, role.extent[0], role.extent[1],
                          image->uid, width, height));
}

void check(Context& context, const DispatchOpticalFlow& command) {
  for (const std::string_view key : {"width", "height"}) {
    const std::uint32_t side = key == "width" ? command.width : command.height;
    if (side >= model::kMinFlowSide && side <= model::kMaxFlowSide) continue;
    context.error(command.at[key], DiagnosticKind::OutOfRange,
                  formatted("`{}` is {}, but must be {} to {}", key, side, model::kMinFlowSide, model::kMaxFlowSide));
  }
  const std::uint32_t hint = command.mean_flow_l1_norm_hint;
  if (hint != 0 && hint >= std::max(command.width, command.height)) {
    context.error(command.at["mean_flow_l1_norm_hint"], DiagnosticKind::OutOfRange,
                  formatted("`mean_flow_l1_norm_hint` is {}, but must be less than {}", hint,
                            std::max(command.width, command.height)));
  }
  const FlowBindings& images = *command.bindings;
  const auto grid = static_cast<std::uint64_t>(command.grid_size);
  const FlowExtent input{command.width, command.height};
  const FlowExtent output{divide_up(command.width, grid), divide_up(command.height, grid)};
  check_role(context, {"search_image", images.search_image, kSearchFormats, input});
  check_role(context, {"template_image", images.template_image, kSearchFormats, input});
  check_role(context, {"output_image", images.output_image, kVectorFormats, output});
  if (images.hint_motion_vectors)
    check_role(context, {"hint_motion_vectors", *images.hint_motion_vectors, kVectorFormats, output});
  if (images.output_cost) check_role(context, {"output_cost", *images.output_cost, kCostFormats, output});
  const Image* search = context.scenario.find<Image>(images.search_image.resource.uid);
  const Image* reference = context.scenario.find<Image>(images.template_image.resource.uid);
  if (search && reference && search->format.value && reference->format.value &&
      search->format.value != reference->format.value) {
    context.error(images.template_image.resource.at, DiagnosticKind::FileMismatch,
                  formatted("`template_image` must have the format of `search_image`, {}, but image `{}` has {}",
                            search->format.name, reference->uid, reference->format.name));
  }
  check_bound_once(context, images.all());
}

}  // namespace

void check_optical_flow(Context& context) {
  context.scenario.commands.each<DispatchOpticalFlow>(
      [&](const Command& command) { check(context, std::get<DispatchOpticalFlow>(command)); });
}

}  // namespace slipway::scenario
