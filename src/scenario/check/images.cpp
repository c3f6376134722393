// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Rules for single images: levels and border colours (docs/spec/scenario.md#resources, docs/spec/scenario.md#images).
#include <cmath>

#include "base/format.hpp"
#include "scenario/check/context.hpp"
#include "vk/image_plan.hpp"

namespace slipway::scenario {
namespace {

void check_mips(Context& context, const Image& image) {
  const std::uint32_t most = vk::max_mips(image.extent[0], image.extent[1], image.extent[2]);
  if (image.mips <= most) return;
  context.error(
      image.at["mips"], DiagnosticKind::OutOfRange,
      formatted("Number of mips exceeds maximum number allowed for the image size: {} for {}x{}{}, but `mips` is {}",
                most, image.extent[0], image.extent[1], image.extent[2] > 1 ? formatted("x{}", image.extent[2]) : "",
                image.mips));
}

void check_layers(Context& context, const Image& image) {
  if (image.layers == 1) return;
  const auto conflict = [&](bool conflicts, std::string_view key, std::string_view what) {
    if (!conflicts) return;
    context
        .error(image.at["layers"], DiagnosticKind::ConflictingKeys,
               formatted("{}, but image `{}` has {}", what, image.uid, image.layers))
        .note(formatted("`{}` is here", key), image.at[key].location());
  };
  conflict(image.extent[2] > 1, "dims", "a 3D image has one layer");
  conflict(image.color_attachment, "color_attachment", "a color attachment has one layer");
  conflict(image.memory_group.has_value(), "memory_group", "an image that shares memory has one layer");
}

void check_border(Context& context, const Image& image) {
  const auto& color = image.sampler.border_color;
  const bool integers = color == vk::BorderColor::INT_CUSTOM_EXT;
  const bool custom = integers || color == vk::BorderColor::FLOAT_CUSTOM_EXT;
  const json::Value values = image.at["custom_border_color"];
  if (custom && !image.sampler.custom_border_color) {
    context.warning(image.at["border_color"], DiagnosticKind::MissingKey,
                    formatted("image `{}` has no `custom_border_color`; [0, 0, 0, 0] is used", image.uid));
  } else if (image.sampler.custom_border_color && !custom) {
    context.error(values, DiagnosticKind::ConflictingKeys,
                  "custom_border_color requires border_color INT_CUSTOM_EXT or FLOAT_CUSTOM_EXT");
  } else if (integers) {
    for (const json::Value value : values) {
      const auto number = value.integer();
      if (number && *number >= INT32_MIN && *number <= UINT32_MAX) continue;
      context.error(value, DiagnosticKind::OutOfRange,
                    formatted("INT_CUSTOM_EXT takes integers of 32 bits, but here is {}", value.text()));
    }
  }
}

void check_compare(Context& context, const Image& image) {
  if (!image.sampler.compare_operation || !image.format.value || vk::has_depth(*image.format.value)) return;
  context
      .error(image.at["compare_operation"], DiagnosticKind::ConflictingKeys,
             formatted("only depths are compared, and image `{}` has the format {}", image.uid, image.format.name))
      .hint("VK_FORMAT_D32_SFLOAT is a format of depths");
}

}  // namespace

void check_images(Context& context) {
  for (const Resource& resource : context.scenario.resources) {
    if (const auto* image = std::get_if<Image>(&resource)) {
      check_mips(context, *image);
      check_layers(context, *image);
      check_border(context, *image);
      check_compare(context, *image);
    }
  }
}

}  // namespace slipway::scenario
