// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "vk/image_plan.hpp"

#include <algorithm>
#include <array>
#include <bit>

#include "base/format.hpp"

namespace slipway::vk {
namespace {

// VkImageUsageFlagBits.
constexpr std::uint32_t kTransferSource = 0x1, kTransferDestination = 0x2, kSampled = 0x4, kStorage = 0x8,
                        kColorAttachment = 0x10, kDepthStencilAttachment = 0x20;

// VkImageAspectFlagBits.
constexpr std::uint32_t kColorAspect = 0x1, kDepthAspect = 0x2, kStencilAspect = 0x4;

std::uint32_t usage_of(const ImageUses& uses, std::uint32_t samples) {
  std::uint32_t usage = samples > 1 ? 0 : kTransferSource | kTransferDestination;
  if (uses.sampled) usage |= kSampled;
  if (uses.storage) usage |= kStorage;
  if (uses.color_attachment) usage |= kColorAttachment;
  if (uses.depth_attachment) usage |= kDepthStencilAttachment;
  return usage;
}

// The format features that the uses need (docs/spec/scenario.md#images).
std::uint64_t needed_features(const ImageInfo& info) {
  std::uint64_t needed = 0;
  if (info.uses.uploaded) needed |= format_feature::kTransferDestination;
  if (info.uses.sampled) needed |= format_feature::kSampledImage;
  if (info.uses.storage) needed |= format_feature::kStorageImage | format_feature::kTransferSource;
  if (info.uses.color_attachment) needed |= format_feature::kColorAttachment;
  if (info.uses.depth_attachment) needed |= format_feature::kDepthAttachment;
  if (info.uses.makes_mips) needed |= format_feature::kBlitSource | format_feature::kBlitDestination;
  return needed;
}

// The names of the features that are missing: "; without VK_FORMAT_FEATURE_..., ...".
std::string without_text(std::uint64_t features, std::uint64_t needed) {
  constexpr std::array kNames = {
      std::pair(format_feature::kSampledImage, "SAMPLED_IMAGE"),
      std::pair(format_feature::kStorageImage, "STORAGE_IMAGE"),
      std::pair(format_feature::kColorAttachment, "COLOR_ATTACHMENT"),
      std::pair(format_feature::kDepthAttachment, "DEPTH_STENCIL_ATTACHMENT"),
      std::pair(format_feature::kBlitSource, "BLIT_SRC"),
      std::pair(format_feature::kBlitDestination, "BLIT_DST"),
      std::pair(format_feature::kTransferSource, "TRANSFER_SRC"),
      std::pair(format_feature::kTransferDestination, "TRANSFER_DST"),
  };
  if (features == 0) return ", which the device does not have with this tiling";
  std::string text;
  for (const auto& [bit, name] : kNames) {
    if (needed & ~features & bit)
      text += formatted("{}VK_FORMAT_FEATURE_{}_BIT", text.empty() ? ", which lacks " : ", ", name);
  }
  constexpr std::uint64_t kBlits = format_feature::kBlitSource | format_feature::kBlitDestination;
  if (needed & ~features & kBlits) text += ", to make levels that the source does not have";
  return text;
}

class ImagePlanner {
 public:
  ImagePlanner(const Snapshot& snapshot, const ImageInfo& info) : snapshot_(snapshot), info_(info) {}

  Result<ImagePlan> run() {
    check_size();
    check_mips();
    ImagePlan plan{.tiling = choose_tiling(), .usage = usage_of(info_.uses, info_.samples)};
    if (has_depth(info_.format)) plan.aspects |= kDepthAspect;
    if (has_stencil(info_.format)) plan.aspects |= kStencilAspect;
    if (plan.aspects == 0) plan.aspects = kColorAspect;
    plan.data_aspect = plan.aspects & kDepthAspect ? kDepthAspect : plan.aspects;
    if (problems_.has_errors()) return std::unexpected(problems_.release());
    return plan;
  }

 private:
  void error(DiagnosticKind kind, std::string_view what) {
    problems_.error(kind, SourceLocation::nowhere(), formatted("{} (image `{}`)", what, info_.name));
  }

  void check_size() {
    const bool volume = info_.depth > 1;
    const auto [limit, dimensions] = volume       ? std::pair(snapshot_.limits.max_image_3d, 3)
                                     : info_.line ? std::pair(snapshot_.limits.max_image_1d, 1)
                                                  : std::pair(snapshot_.limits.max_image_2d, 2);
    if (info_.width == 0 || info_.height == 0 || info_.depth == 0) {
      error(DiagnosticKind::OutOfRange, "an image needs at least one texel in each direction");
    } else if (info_.layers == 0 || (info_.layers > 1 && volume)) {
      error(DiagnosticKind::OutOfRange,
            info_.layers == 0 ? "an image needs at least one layer" : "a 3D image has one layer");
    } else if (info_.line && (info_.height > 1 || volume || info_.uses.color_attachment || info_.uses.cube ||
                              info_.uses.depth_attachment)) {
      error(DiagnosticKind::OutOfRange, "a 1D image has one row, and is neither an attachment nor a cube");
    } else if (info_.uses.cube && (info_.layers % 6 != 0 || info_.width != info_.height)) {
      error(DiagnosticKind::OutOfRange, "a cube has six layers with equal width and height");
    } else if (std::max({info_.width, info_.height, info_.depth}) > limit) {
      // The driver is asked for the levels of possible images only. The existing scenario runner names them first.
      const std::uint32_t most = info_.tiling == Tiling::Linear ? 1 : max_mips(limit, limit);
      if (info_.mips > most) {
        problems_.error(
            DiagnosticKind::DeviceLacks, SourceLocation::nowhere(),
            formatted(
                "The mip level provided is not supported for {}: {} levels of {}", info_.name, info_.mips,
                most == 1 ? std::string("a linear image") : formatted("an image that can have at most {}", most)));
      }
      error(DiagnosticKind::DeviceLacks,
            formatted("{}x{}x{} texels are more than the device allows: {} (`maxImageDimension{}D`)", info_.width,
                      info_.height, info_.depth, limit, dimensions));
    }
  }

  void check_mips() {
    if (info_.mips == 0) error(DiagnosticKind::OutOfRange, "Number of mips cannot be 0");
    if (const std::uint32_t most = max_mips(info_.width, info_.height, info_.depth); info_.mips > most) {
      error(DiagnosticKind::OutOfRange, formatted("Number of mips exceeds maximum number allowed for the image size: "
                                                  "{} where {} are possible",
                                                  info_.mips, most));
    }
    if (info_.mips > 1 && info_.shares_memory) {
      error(DiagnosticKind::ConflictingKeys, "A mipped image cannot be aliased");
    }
  }

  Tiling choose_tiling() {
    const FormatFeatures features = snapshot_.format_features(info_.format);
    const std::uint64_t needed = needed_features(info_);
    const bool optimal = features.optimal != 0 && (features.optimal & needed) == needed;
    const bool linear = features.linear != 0 && (features.linear & needed) == needed;
    const std::string format = name_of(info_.format);
    if (!info_.tiling) {
      if (!optimal && !linear) {
        error(DiagnosticKind::DeviceLacks, formatted("No supported tiling for this data type: `{}`{}", format,
                                                     without_text(features.optimal, needed)));
      }
      if (info_.shares_memory) return linear ? Tiling::Linear : Tiling::Optimal;
      return optimal ? Tiling::Optimal : Tiling::Linear;
    }
    if (info_.tiling == Tiling::Linear && !linear) {
      error(DiagnosticKind::DeviceLacks, formatted("Tiling type: LINEAR is not supported for this format type: `{}`{}",
                                                   format, without_text(features.linear, needed)));
    }
    if (info_.tiling == Tiling::Optimal && !optimal) {
      error(DiagnosticKind::DeviceLacks, formatted("Tiling type: OPTIMAL is not supported for this formatType: `{}`{}",
                                                   format, without_text(features.optimal, needed)));
    }
    return *info_.tiling;
  }

  const Snapshot& snapshot_;
  const ImageInfo& info_;
  Diagnostics problems_;
};

// Bits of the components in a name such as `R10X6G10X6` or `X8_D24`: the numbers after the letters. 0 if it is not of
// that shape.
std::uint32_t component_bits(std::string_view name) {
  std::uint32_t bits = 0;
  for (std::size_t i = 0; i < name.size();) {
    if (!std::string_view("RGBAXDSE").contains(name[i])) return 0;
    std::uint32_t number = 0;
    const std::size_t letter = i++;
    for (; i < name.size() && name[i] >= '0' && name[i] <= '9'; ++i) number = number * 10 + (name[i] - '0');
    if (i == letter + 1) return 0;
    bits += number;
  }
  return bits;
}

// The decimal number at the front of the text, which it is taken from.
std::uint32_t take_number(std::string_view& text) {
  std::uint32_t number = 0;
  while (!text.empty() && text.front() >= '0' && text.front() <= '9') {
    number = number * 10 + (text.front() - '0');
    text.remove_prefix(1);
  }
  return number;
}

bool take(std::string_view& text, std::string_view prefix) {
  if (!text.starts_with(prefix)) return false;
  text.remove_prefix(prefix.size());
  return true;
}

// Compressed formats: bytes by the family's name; 4x4 texels but for ASTC, whose name has the size.
std::optional<TexelBlock> compressed_block(std::string_view name) {
  struct Family {
    std::string_view prefix;
    std::uint32_t bytes;
  };
  static constexpr std::array families = {
      Family{"BC1_", 8},  Family{"BC2_", 16},        Family{"BC3_", 16},    Family{"BC4_", 8},
      Family{"BC5_", 16}, Family{"BC6H_", 16},       Family{"BC7_", 16},    Family{"ETC2_R8G8B8A8_", 16},
      Family{"ETC2_", 8}, Family{"EAC_R11G11_", 16}, Family{"EAC_R11_", 8},
  };
  if (take(name, "ASTC_")) {
    TexelBlock block{.bytes = 16};
    block.width = take_number(name);
    if (!take(name, "x")) return std::nullopt;
    block.height = take_number(name);
    // A third number: blocks in three dimensions, which no scenario can name.
    return name.starts_with("_") ? std::optional(block) : std::nullopt;
  }
  for (const Family& family : families) {
    if (name.starts_with(family.prefix)) return TexelBlock{family.bytes, 4, 4};
  }
  return std::nullopt;
}

}  // namespace

Result<ImagePlan> plan_image(const Snapshot& snapshot, const ImageInfo& info) {
  return ImagePlanner(snapshot, info).run();
}

Result<> check_image_limits(const ImageInfo& info, const DriverImageLimits& limits) {
  Diagnostics problems;
  if (info.mips > limits.levels) {
    problems.error(DiagnosticKind::DeviceLacks, SourceLocation::nowhere(),
                   formatted("The mip level provided is not supported for {}: {} levels where the device has {}",
                             info.name, info.mips, limits.levels));
  }
  if (info.layers > limits.layers) {
    problems.error(DiagnosticKind::DeviceLacks, SourceLocation::nowhere(),
                   formatted("{} layers are more than the device allows for `{}`: {} (image `{}`)", info.layers,
                             name_of(info.format), limits.layers, info.name));
  }
  if (!(info.samples & limits.sample_counts)) {
    problems.error(DiagnosticKind::DeviceLacks, SourceLocation::nowhere(),
                   formatted("the device has no images of `{}` with {} samples (image `{}`)", name_of(info.format),
                             info.samples, info.name));
  }
  const auto [width, height, depth] = limits.extent;
  if (info.width > width || info.height > height || info.depth > depth) {
    problems.error(
        DiagnosticKind::DeviceLacks, SourceLocation::nowhere(),
        formatted("{}x{}x{} texels are more than the device allows for `{}`: {}x{}x{} (image `{}`)", info.width,
                  info.height, info.depth, name_of(info.format), width, height, depth, info.name));
  }
  if (problems.has_errors()) return std::unexpected(problems.release());
  return {};
}

std::uint32_t max_mips(std::uint32_t width, std::uint32_t height, std::uint32_t depth) {
  return static_cast<std::uint32_t>(std::bit_width(std::max({width, height, depth, 1u})));
}

std::optional<TexelBlock> texel_block(Format format) {
  const std::string full = name_of(format);
  std::string_view name = full;
  if (!take(name, "VK_FORMAT_")) return std::nullopt;
  if (name.ends_with("_BLOCK") || name.starts_with("ASTC_")) return compressed_block(name);
  // Combined formats are copied by their depth: 24 bits of it take four bytes.
  if (has_depth(format)) return TexelBlock{name.starts_with("D16") ? 2u : 4u};
  // Several planes, or two texels a block.
  if (name.contains("PLANE") || name.contains("_422")) return std::nullopt;
  const std::uint32_t bits = component_bits(name.substr(0, name.find('_')));
  if (bits == 0 || bits % 8 != 0) return std::nullopt;
  return TexelBlock{bits / 8};
}

bool has_depth(Format format) {
  const std::string name = name_of(format);
  return name.starts_with("VK_FORMAT_D") || name.starts_with("VK_FORMAT_X8_D");
}

bool has_stencil(Format format) {
  const std::string name = name_of(format);
  return name == "VK_FORMAT_S8_UINT" || (has_depth(format) && name.ends_with("_S8_UINT"));
}

}  // namespace slipway::vk
