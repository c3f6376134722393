// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Resize and Upsample (docs/spec/import.md#operators-that-need-more-words).
#include "importer/emit/network/resize.hpp"

#include <algorithm>
#include <cmath>

#include "base/format.hpp"
#include "importer/emit/network/windows.hpp"
#include "importer/onnx/operators.hpp"

namespace slipway::importer {
namespace {

enum class Mode : std::uint8_t { Nearest, Linear, Cubic };

struct ResizeOptions {
  Mode mode = Mode::Nearest;
  std::string coordinates = "half_pixel", rounding = "round_prefer_floor";
  double cubic_a = -0.75, extrapolation = 0;
  bool antialias = false, excludes_outside = false;
};

// One dimension that changes.
struct ResizedAxis {
  std::size_t axis = 0;
  std::int64_t from = 1, to = 1;
  double scale = 1;           // as float32
  double start = 0, end = 1;  // of the region, as shares of the dimension
};

// In elements of the source, from the centre of the first.
double position_of(const ResizeOptions& options, const ResizedAxis& axis, std::int64_t at, bool in_float) {
  const auto from = static_cast<double>(axis.from), o = static_cast<double>(at);
  const std::string& mode = options.coordinates;
  const double width = axis.scale * from;  // before it is rounded
  const double last = static_cast<double>(axis.to) - 1;
  if (mode == "align_corners") return axis.to == 1 ? 0 : o * (from - 1) / (width - 1);
  if (mode == "asymmetric") return in_float ? static_cast<float>(o) / static_cast<float>(axis.scale) : o / axis.scale;
  if (mode == "tf_crop_and_resize") {
    // In float32, because positions at the very edge are inside.
    const auto start = static_cast<float>(axis.start), end = static_cast<float>(axis.end);
    const auto most = static_cast<float>(from - 1);
    if (axis.to == 1) return 0.5F * (start + end) * most;
    return start * most + static_cast<float>(o) * (end - start) * most / static_cast<float>(last);
  }
  const double centre =
      in_float ? (static_cast<float>(o) + 0.5F) / static_cast<float>(axis.scale) : (o + 0.5) / axis.scale;
  if (mode == "tf_half_pixel_for_nn") return centre;
  // The middle of the result is that of the source, without a rounding.
  if (mode == "half_pixel_symmetric")
    return (from - 1) / 2 + (2 * o + 1 - static_cast<double>(axis.to)) / (2 * axis.scale);
  if (mode == "pytorch_half_pixel" && axis.to == 1) return 0;
  if (mode == "half_pixel" || mode == "pytorch_half_pixel")
    return in_float ? static_cast<float>(centre) - 0.5F : centre - 0.5;
  throw Refused(formatted("`coordinate_transformation_mode` is `{}`", mode));
}

std::int64_t rounded(const std::string& mode, double position) {
  if (mode == "round_prefer_floor") return static_cast<std::int64_t>(std::ceil(position - 0.5));
  if (mode == "round_prefer_ceil") return static_cast<std::int64_t>(std::floor(position + 0.5));
  if (mode == "floor") return static_cast<std::int64_t>(std::floor(position));
  if (mode == "ceil") return static_cast<std::int64_t>(std::ceil(position));
  throw Refused(formatted("`nearest_mode` is `{}`", mode));
}

double cubic_weight(double distance, double a) {
  const double x = std::fabs(distance);
  if (x <= 1) return ((a + 2) * x - (a + 3)) * x * x + 1;
  return x < 2 ? ((a * x - 5 * a) * x + 8 * a) * x - 4 * a : 0;
}

// Weights of a filter around each position; those of elements outside go to the edge, or to the others.
Samples filter_samples(const ResizeOptions& options, const ResizedAxis& axis) {
  const double reach = options.mode == Mode::Cubic ? 2 : 1;
  // With antialias the filter of a smaller result is as wide as the elements that it replaces.
  const double scale = options.antialias ? std::min(axis.scale, 1.0) : 1;
  const auto first = static_cast<std::int64_t>(std::floor(-reach / scale)) + 1;
  const std::int64_t count = 2 - 2 * first;
  Samples samples{.axis = axis.axis, .taps = std::vector<Taps>(static_cast<std::size_t>(count))};
  for (std::int64_t o = 0; o < axis.to; ++o) {
    const double position = position_of(options, axis, o, false);
    const auto floor = static_cast<std::int64_t>(std::floor(position));
    std::vector<double> weights;
    double sum = 0;
    for (std::int64_t i = 0; i < count; ++i) {
      const std::int64_t index = floor + first + i;
      const double distance = (static_cast<double>(index) - position) * scale;
      double weight = options.mode == Mode::Cubic ? cubic_weight(distance, options.cubic_a)
                                                  : std::max(1 - std::fabs(distance), 0.0);
      if (options.excludes_outside && (index < 0 || index >= axis.from)) weight = 0;
      weights.push_back(weight);
      sum += weight;
    }
    const double total = options.antialias || options.excludes_outside ? sum : 1;
    for (std::int64_t i = 0; i < count; ++i) {
      Taps& taps = samples.taps[static_cast<std::size_t>(i)];
      taps.index.push_back(std::clamp<std::int64_t>(floor + first + i, 0, axis.from - 1));
      taps.weight.push_back(weights[static_cast<std::size_t>(i)] / total);
    }
  }
  return samples;
}

std::vector<double> positions_of(const ResizeOptions& options, const ResizedAxis& axis) {
  std::vector<double> positions;
  for (std::int64_t o = 0; o < axis.to; ++o) positions.push_back(position_of(options, axis, o, false));
  return positions;
}

// Linear interpolation of images by RESIZE, where it is the same.
std::optional<Term> by_operator(Builder& b, const Term& x, const ResizeOptions& options,
                                std::span<const ResizedAxis> axes) {
  if (options.mode != Mode::Linear || options.antialias || options.excludes_outside || x.rank() != 4)
    return std::nullopt;
  if (options.coordinates == "tf_crop_and_resize") return std::nullopt;
  std::vector<std::vector<double>> positions(2);
  for (std::size_t d = 0; d < 2; ++d) {
    b.will_make({x.shape[2 + d]});
    const ResizedAxis same{.axis = 2 + d, .from = x.shape[2 + d], .to = x.shape[2 + d]};
    ResizeOptions plain;
    plain.coordinates = "asymmetric";
    positions[d] = positions_of(plain, same);
  }
  for (const ResizedAxis& axis : axes) {
    if (axis.axis < 2) return std::nullopt;
    positions[axis.axis - 2] = positions_of(options, axis);
  }
  const auto form = linear_form(std::span(x.shape).subspan(2), positions);
  if (!form) return std::nullopt;
  return channels_first(b, resize(b, channels_last(b, x), *form));
}

Term resized_axis(Builder& b, const Term& x, const ResizeOptions& options, const ResizedAxis& axis) {
  if (options.mode == Mode::Nearest) {
    std::vector<std::int64_t> indices;
    for (std::int64_t o = 0; o < axis.to; ++o)
      indices.push_back(rounded(options.rounding, position_of(options, axis, o, true)));
    return resample(b, x, nearest_samples(axis.axis, axis.from, indices));
  }
  if (options.mode == Mode::Linear && !options.antialias && !options.excludes_outside)
    return resample(b, x, linear_samples(axis.axis, axis.from, positions_of(options, axis)));
  return resample_by_matrix(b, x, filter_samples(options, axis));
}

// Elements whose position is outside of the source have a value of their own.
Term extrapolated(Builder& b, const Term& made, const ResizeOptions& options, const ResizedAxis& axis) {
  std::vector<std::int64_t> inside;
  for (std::int64_t o = 0; o < axis.to; ++o) {
    const double position = position_of(options, axis, o, false);
    inside.push_back(position >= 0 && position <= static_cast<double>(axis.from - 1) ? 1 : 0);
  }
  if (std::ranges::all_of(inside, [](std::int64_t each) { return each == 1; })) return made;
  tensor::Shape line(made.rank(), 1);
  line[axis.axis] = axis.to;
  return b.select(b.integers(FileType::Bool, line, inside), made, b.number(made.type, options.extrapolation));
}

Term resized(Builder& b, const Term& x, const ResizeOptions& options, std::span<const ResizedAxis> axes) {
  if (options.mode != Mode::Nearest && !is_real(x.type))
    return b.cast(resized(b, b.cast(x, FileType::F32), options, axes), x.type);
  std::vector<ResizedAxis> changed;
  const bool crops = options.coordinates == "tf_crop_and_resize";
  for (const ResizedAxis& axis : axes) {
    if (axis.to < 1) throw Refused(formatted("a dimension of the result has {} elements", axis.to));
    if (axis.from == axis.to && !crops && axis.scale == 1) continue;
    constexpr std::int64_t kTaps = 4;  // more where the filter is as wide as what it replaces
    b.will_make({options.antialias ? std::max(axis.from, axis.to) : axis.to, kTaps});
    changed.push_back(axis);
  }
  if (const auto direct = by_operator(b, x, options, changed)) return *direct;
  Term made = x;
  for (const ResizedAxis& axis : changed) {
    made = resized_axis(b, made, options, axis);
  }
  for (const ResizedAxis& axis : changed) {
    if (crops) made = extrapolated(b, made, options, axis);
  }
  return made;
}

Mode mode_of(const NodeContext& node) {
  const std::string mode = node.text("mode", "nearest");
  if (mode == "nearest") return Mode::Nearest;
  if (mode == "linear" || mode == "bilinear") return Mode::Linear;
  if (mode == "cubic") return Mode::Cubic;
  throw Refused(formatted("`mode` is `{}`", mode));
}

// An extent of the result that was computed as a real number, which may be any.
std::int64_t extent_of(double computed) {
  constexpr double kMax = 0x1p53;
  if (!(computed < kMax)) throw Refused(formatted("a dimension of the result has {} elements", computed));
  return static_cast<std::int64_t>(computed);
}

std::vector<ResizedAxis> by_scales(const Term& x, std::span<const std::size_t> axes, std::span<const double> scales) {
  if (scales.size() != axes.size())
    throw Refused(formatted("there are {} scales for {} dimensions", scales.size(), axes.size()));
  std::vector<ResizedAxis> made;
  for (std::size_t i = 0; i < axes.size(); ++i) {
    const std::int64_t from = x.shape[axes[i]];
    if (!(scales[i] > 0)) throw Refused(formatted("a scale is {}", scales[i]));
    const std::int64_t to = extent_of(std::floor(static_cast<float>(from) * static_cast<float>(scales[i])));
    made.push_back({.axis = axes[i], .from = from, .to = to, .scale = scales[i]});
  }
  return made;
}

std::vector<ResizedAxis> by_sizes(const NodeContext& node, const Term& x, std::span<const std::size_t> axes,
                                  std::span<const std::int64_t> sizes) {
  if (sizes.size() != axes.size())
    throw Refused(formatted("there are {} sizes for {} dimensions", sizes.size(), axes.size()));
  std::vector<ResizedAxis> made;
  for (std::size_t i = 0; i < axes.size(); ++i) {
    const std::int64_t from = x.shape[axes[i]];
    const double scale = static_cast<double>(sizes[i]) / static_cast<double>(from);
    made.push_back({.axis = axes[i], .from = from, .to = sizes[i], .scale = scale});
  }
  const std::string policy = node.text("keep_aspect_ratio_policy", "stretch");
  if (policy == "stretch") return made;
  if (policy != "not_larger" && policy != "not_smaller")
    throw Refused(formatted("`keep_aspect_ratio_policy` is `{}`", policy));
  double scale = made.front().scale;
  for (const ResizedAxis& axis : made)
    scale = policy == "not_larger" ? std::min(scale, axis.scale) : std::max(scale, axis.scale);
  for (ResizedAxis& axis : made) {
    axis.scale = scale;
    axis.to = extent_of(std::floor(scale * static_cast<double>(axis.from) + 0.5));
  }
  return made;
}

std::vector<std::size_t> resized_axes(const NodeContext& node, std::size_t rank) {
  std::vector<std::size_t> axes;
  if (const auto list = node.list("axes")) {
    for (const std::int64_t axis : *list) axes.push_back(axis_of(axis, rank));
    return axes;
  }
  for (std::size_t d = 0; d < rank; ++d) axes.push_back(d);
  return axes;
}

void read_region(NodeContext& node, std::vector<ResizedAxis>& axes) {
  const std::vector<double> region = node.known(1, "roi").reals();
  if (region.size() != 2 * axes.size()) throw Refused("`roi` does not have two numbers for each dimension");
  for (std::size_t i = 0; i < axes.size(); ++i) {
    axes[i].start = region[i];
    axes[i].end = region[axes.size() + i];
  }
}

}  // namespace

void emit_onnx_Resize(NodeContext& node) {
  const Term& x = node.in(0);
  ResizeOptions options{.mode = mode_of(node)};
  const std::vector<std::size_t> axes = resized_axes(node, x.rank());
  if (node.version() < 11) {
    options.coordinates = "asymmetric";
    options.rounding = "floor";
    return node.out(0, resized(node.b, x, options, by_scales(x, axes, node.known(1, "scales").reals())));
  }
  options.coordinates = node.text("coordinate_transformation_mode", "half_pixel");
  options.rounding = node.text("nearest_mode", "round_prefer_floor");
  options.cubic_a = node.real("cubic_coeff_a", -0.75);
  options.extrapolation = node.real("extrapolation_value", 0);
  options.antialias = node.flag("antialias") && options.mode != Mode::Nearest;
  options.excludes_outside = node.flag("exclude_outside");
  const bool has_sizes = node.has(3) && node.in(3).count() != 0, has_scales = node.has(2) && node.in(2).count() != 0;
  if (has_sizes == has_scales) throw Refused("one of `scales` and `sizes` has to be given");
  std::vector<ResizedAxis> wanted = has_sizes ? by_sizes(node, x, axes, node.integers(3, "sizes"))
                                              : by_scales(x, axes, node.known(2, "scales").reals());
  if (options.coordinates == "tf_crop_and_resize") read_region(node, wanted);
  node.out(0, resized(node.b, x, options, wanted));
}

void emit_onnx_Upsample(NodeContext& node) {
  const Term& x = node.in(0);
  const ResizeOptions options{.mode = mode_of(node), .coordinates = "asymmetric", .rounding = "floor"};
  const std::vector<std::size_t> axes = resized_axes(node, x.rank());
  std::vector<double> scales;
  if (node.version() >= 9)
    scales = node.known(1, "scales").reals();
  else if (node.version() >= 7)
    scales = node.reals("scales").value_or(std::vector<double>());
  else
    scales = {1, 1, node.real("height_scale", 1), node.real("width_scale", 1)};
  node.out(0, resized(node.b, x, options, by_scales(x, axes, scales)));
}

}  // namespace slipway::importer
