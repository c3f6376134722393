// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Images at positions that are computed: GridSample, AffineGrid, RoiAlign, DeformConv.
#include "importer/emit/network/sampling.hpp"

#include <algorithm>
#include <cmath>

#include "base/format.hpp"
#include "importer/emit/host.hpp"
#include "importer/onnx/operators.hpp"
#include "importer/onnx/operators/network/window_attributes.hpp"

namespace slipway::importer {
namespace {

// The row at which each image of [N, extents..., C] begins, [N, 1].
Term first_rows(Builder& b, std::int64_t images, std::int64_t rows) {
  return b.reshape(b.arange(FileType::I32, 0, images, rows), {images, 1});
}

struct GridForm {
  std::string mode;
  Outside outside = Outside::Zero;
  bool aligned = false;  // -1 and 1 are the centres of the outermost elements
};

GridForm grid_form(const NodeContext& node) {
  GridForm form{.mode = node.text("mode", "linear"), .outside = Outside::Zero, .aligned = node.flag("align_corners")};
  if (form.mode == "bilinear") form.mode = "linear";
  if (form.mode == "bicubic") form.mode = "cubic";
  if (form.mode != "linear" && form.mode != "cubic" && form.mode != "nearest")
    throw Refused(formatted("`mode` is `{}`", form.mode));
  const std::string padding = node.text("padding_mode", "zeros");
  if (padding == "border")
    form.outside = Outside::Edge;
  else if (padding == "reflection")
    form.outside = form.aligned ? Outside::ReflectCentres : Outside::ReflectEdges;
  else if (padding != "zeros")
    throw Refused(formatted("`padding_mode` is `{}`", padding));
  return form;
}

// Numbers of a grid as positions.
Term grid_positions(Builder& b, const Term& grid, std::int64_t extent, const GridForm& form) {
  const auto count = static_cast<double>(extent);
  const Term from_start = b.affine(grid, 1, 1);
  Term position = form.aligned ? b.affine(b.affine(from_start, 0.5, 0), count - 1, 0)
                               : b.affine(b.affine(from_start, count, -1), 0.5, 0);
  if (form.mode == "nearest") position = b.unary(Unary::RoundEven, position);
  // Of cubic interpolation each neighbour is moved on its own.
  if (form.outside == Outside::Zero || form.mode == "cubic") return position;
  const double low = form.aligned ? 0 : -0.5, high = count - (form.aligned ? 1 : 0.5);
  const Term outside =
      b.logical(Binary::BitOr, b.binary(Binary::Less, position, low), b.binary(Binary::Greater, position, high));
  const Term moved =
      form.outside == Outside::Edge ? b.clamp(position, 0, count - 1) : reflected(b, position, extent, form.outside);
  return b.select(outside, moved, position);
}

}  // namespace

void emit_onnx_GridSample(NodeContext& node) {
  const Term& x = node.in(0);
  const Term& grid = node.in(1);
  const std::size_t dimensions = x.rank() - 2;
  if (x.rank() < 3 || grid.rank() != x.rank() || grid.extent(-1) != static_cast<std::int64_t>(dimensions))
    throw Refused(
        formatted("a grid of shape {} does not fit a tensor of rank {}", tensor::shape_text(grid.shape), x.rank()));
  Builder& b = node.b;
  const GridForm form = grid_form(node);
  const std::int64_t batches = x.shape[0], points = grid.count() / batches / grid.extent(-1);
  if (grid.count() == 0) throw Refused("the grid has no elements");
  const Term flat = b.cast(b.reshape(grid, {batches, points, grid.extent(-1)}), FileType::F32);
  std::vector<Neighbours> around;
  for (std::size_t d = 0; d < dimensions; ++d) {
    // The last coordinate of the grid is that of the first spatial dimension.
    const auto coordinate = static_cast<std::int64_t>(dimensions - 1 - d);
    const Term own = b.reshape(b.slice_axis(flat, -1, coordinate, 1), {batches, points});
    const std::int64_t extent = x.shape[2 + d];
    const Term positions = grid_positions(b, own, extent, form);
    around.push_back(form.mode == "nearest"  ? nearest_neighbours(b, positions, extent, form.outside)
                     : form.mode == "linear" ? linear_neighbours(b, positions, extent, form.outside)
                                             : cubic_neighbours(b, positions, extent, form.outside));
  }
  const Term images = channels_last(b, x);
  const std::int64_t rows = product_of(std::span(x.shape).subspan(2));
  const Term made = weighted_sum(b, samples_at(b, images, first_rows(b, batches, rows), around));
  tensor::Shape shape{batches};
  shape.insert(shape.end(), grid.shape.begin() + 1, grid.shape.end() - 1);
  shape.push_back(x.shape[1]);
  node.out(0, channels_first(b, b.reshape(made, std::move(shape))));
}

void emit_onnx_AffineGrid(NodeContext& node) {
  const Term& theta = node.in(0);
  const std::vector<std::int64_t> size = node.integers(1, "size");
  const std::size_t dimensions = size.size() < 2 ? 0 : size.size() - 2;
  if (dimensions < 2 || dimensions > 3 || theta.rank() != 3 || theta.shape[0] != size[0] ||
      theta.shape[1] != static_cast<std::int64_t>(dimensions) ||
      theta.shape[2] != static_cast<std::int64_t>(dimensions + 1))
    throw Refused(formatted("a matrix of shape {} does not fit a size of {} dimensions",
                            tensor::shape_text(theta.shape), size.size()));
  const tensor::Shape extents(size.begin() + 2, size.end());
  const bool aligned = node.flag("align_corners");
  tensor::Shape made = extents;
  made.push_back(static_cast<std::int64_t>(dimensions + 1));
  node.b.will_make(made);
  const std::int64_t points = product_of(extents);
  // The homogeneous coordinates of each element, that of the last dimension first.
  std::vector<double> coordinates;
  for (std::int64_t i = 0; i < points; ++i) {
    const tensor::Shape at = tensor::coordinates_of(extents, static_cast<std::uint64_t>(i));
    for (std::size_t d = dimensions; d-- > 0;) {
      const auto count = static_cast<double>(extents[d]), own = static_cast<double>(at[d]);
      coordinates.push_back(aligned ? (extents[d] == 1 ? -1 : -1 + 2 * own / (count - 1)) : (2 * own + 1) / count - 1);
    }
    coordinates.push_back(1);
  }
  Builder& b = node.b;
  const Term base = known_term(
      array_of(theta.type, {points, static_cast<std::int64_t>(dimensions + 1)}, std::span<const double>(coordinates)));
  tensor::Shape shape{size[0]};
  shape.insert(shape.end(), extents.begin(), extents.end());
  shape.push_back(static_cast<std::int64_t>(dimensions));
  node.out(0, b.reshape(b.matmul(base, b.transpose(theta, {0, 2, 1})), std::move(shape)));
}

namespace {

struct RoiForm {
  std::int64_t height, width, ratio;
  double scale;
  bool half_pixel, takes_maximum;
};

// Along one dimension: the start of each region and the extent of its bins, [R, 1].
struct RoiLine {
  Term start, bin;
};

RoiLine roi_line(Builder& b, const Term& rois, std::int64_t first, std::int64_t bins, const RoiForm& form) {
  const auto edge = [&](std::int64_t column) {
    return b.affine(b.cast(b.slice_axis(rois, 1, column, 1), FileType::F32), form.scale, form.half_pixel ? -0.5 : 0);
  };
  const Term start = edge(first);
  Term extent = b.sub(edge(first + 2), start);
  if (!form.half_pixel) extent = b.binary(Binary::Max, extent, 1);
  return {start, b.binary(Binary::Div, extent, static_cast<double>(bins))};
}

// The neighbours of all sampled rows or columns [R, bins * samples]; the weights of what is outside of the image are 0.
Neighbours roi_neighbours(Builder& b, const RoiLine& line, std::int64_t bins, std::int64_t samples,
                          std::int64_t extent) {
  std::vector<double> bin_index, within;
  for (std::int64_t i = 0; i < bins * samples; ++i) {
    const std::int64_t bin = i / samples;
    bin_index.push_back(static_cast<double>(bin));
    within.push_back((static_cast<double>(i % samples) + 0.5) / static_cast<double>(samples));
  }
  const auto constant = [&](const std::vector<double>& values) {
    return known_term(array_of(FileType::F32, {1, bins * samples}, std::span<const double>(values)));
  };
  const Term position =
      b.add(b.add(line.start, b.mul(line.bin, constant(bin_index))), b.mul(line.bin, constant(within)));
  const Term from = b.binary(Binary::GreaterEqual, position, -1);
  const Term to = b.binary(Binary::LessEqual, position, static_cast<double>(extent));
  const Term is_inside = b.cast(b.logical(Binary::BitAnd, from, to), FileType::F32);
  const Term clamped = b.clamp(position, 0, static_cast<double>(extent - 1));
  Neighbours around = linear_neighbours(b, clamped, extent, Outside::Edge);
  for (Neighbour& each : around) each.weight = b.mul(each.weight, is_inside);
  return around;
}

// Neighbours of rows for each column, or of columns for each row: [R, rows * columns].
Neighbours over_grid(Builder& b, const Neighbours& line, std::int64_t rows, std::int64_t columns, bool is_row) {
  Neighbours all;
  const auto spread = [&](const Term& x) {
    const std::int64_t regions = x.shape[0];
    const Term lined = b.reshape(x, is_row ? tensor::Shape{regions, rows, 1} : tensor::Shape{regions, 1, columns});
    return b.reshape(b.broadcast(lined, {regions, rows, columns}), {regions, rows * columns});
  };
  for (const Neighbour& each : line) all.push_back({spread(each.index), spread(each.weight)});
  return all;
}

// Regions with equally many samples per bin: [R, height, width, C].
Term aligned_regions(Builder& b, const Term& images, const Term& rois, const Term& batch, const RoiForm& form,
                     std::int64_t samples_y, std::int64_t samples_x) {
  const std::int64_t regions = rois.shape[0], channels = images.shape[3];
  if (form.height < 1 || form.width < 1 || samples_y < 1 || samples_x < 1) throw Refused("a region has no bins");
  b.will_make({form.height, samples_y, form.width, samples_x});
  const std::int64_t rows = form.height * samples_y, columns = form.width * samples_x;
  const Neighbours y =
      roi_neighbours(b, roi_line(b, rois, 1, form.height, form), form.height, samples_y, images.shape[1]);
  const Neighbours x =
      roi_neighbours(b, roi_line(b, rois, 0, form.width, form), form.width, samples_x, images.shape[2]);
  const std::vector<Neighbours> around{over_grid(b, y, rows, columns, true), over_grid(b, x, rows, columns, false)};
  const Term first = b.binary(Binary::Mul, b.reshape(b.widen(batch), {regions, 1}),
                              static_cast<double>(images.shape[1] * images.shape[2]));
  const std::vector<Sample> samples = samples_at(b, images, first, around);
  Term values;
  if (form.takes_maximum) {
    for (std::size_t i = 0; i < samples.size(); ++i) {
      const Term part = b.mul(samples[i].value, samples[i].weight);
      values = i == 0 ? part : b.binary(Binary::Max, values, part);
    }
  } else {
    values = weighted_sum(b, samples);
  }
  const Term bins = b.reshape(values, {regions, form.height, samples_y, form.width, samples_x, channels});
  return b.reduce(form.takes_maximum ? Reduction::Max : Reduction::Mean, bins, {2, 4}, false);
}

RoiForm roi_form(const NodeContext& node) {
  const std::string mode = node.text("mode", "avg");
  const std::string transformation =
      node.text("coordinate_transformation_mode", node.version() >= 16 ? "half_pixel" : "output_half_pixel");
  if (mode != "avg" && mode != "max") throw Refused(formatted("`mode` is `{}`", mode));
  if (transformation != "half_pixel" && transformation != "output_half_pixel")
    throw Refused(formatted("`coordinate_transformation_mode` is `{}`", transformation));
  return {.height = node.integer("output_height", 1),
          .width = node.integer("output_width", 1),
          .ratio = node.integer("sampling_ratio", 0),
          .scale = node.real("spatial_scale", 1),
          .half_pixel = transformation == "half_pixel",
          .takes_maximum = mode == "max"};
}

}  // namespace

void emit_onnx_RoiAlign(NodeContext& node) {
  const Term& x = node.in(0);
  const Term& rois = node.in(1);
  const Term& batch = node.in(2);
  if (x.rank() != 4 || rois.rank() != 2 || rois.shape[1] != 4 || batch.shape != tensor::Shape{rois.shape[0]})
    throw Refused("the shapes of the images, the regions and the indices do not fit");
  Builder& b = node.b;
  const RoiForm form = roi_form(node);
  const Term images = channels_last(b, x);
  if (form.ratio > 0)
    return node.out(0, channels_first(b, aligned_regions(b, images, rois, batch, form, form.ratio, form.ratio)));
  // As many samples as a bin has elements, which the regions decide.
  constexpr std::int64_t kMaxRegions = 256;
  constexpr double kMaxSamples = 4096;  // of a bin, in one direction
  const Array& known = node.known(1, "rois");
  if (rois.shape[0] > kMaxRegions) throw Refused(formatted("`sampling_ratio` is 0 for {} regions", rois.shape[0]));
  std::vector<Term> parts;
  for (std::int64_t r = 0; r < rois.shape[0]; ++r) {
    const auto samples = [&](std::int64_t column, std::int64_t bins) {
      const auto edge = [&](std::int64_t c) { return known.real(static_cast<std::size_t>(4 * r + c)) * form.scale; };
      double extent = edge(column + 2) - edge(column);
      if (!form.half_pixel) extent = std::max(extent, 1.0);
      const double count = std::ceil(extent / static_cast<double>(bins));
      if (!(count <= kMaxSamples)) throw Refused(formatted("a bin has {} samples", count));
      return static_cast<std::int64_t>(std::max(count, 1.0));
    };
    parts.push_back(aligned_regions(b, images, b.slice_axis(rois, 0, r, 1), b.slice_axis(batch, 0, r, 1), form,
                                    samples(1, form.height), samples(0, form.width)));
  }
  node.out(0, channels_first(b, b.concat(parts, 0)));
}

}  // namespace slipway::importer
