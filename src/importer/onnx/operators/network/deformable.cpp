// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// DeformConv: a convolution whose elements are read at positions that are computed; Col2Im.
#include "base/format.hpp"
#include "importer/emit/host.hpp"
#include "importer/emit/network/sampling.hpp"
#include "importer/onnx/operators.hpp"
#include "importer/onnx/operators/network/window_attributes.hpp"

namespace slipway::importer {
namespace {

struct Deformation {
  Windows windows;
  tensor::Shape counts;     // windows along both dimensions
  std::int64_t groups = 1;  // of offsets
  std::int64_t taps() const { return product_of(windows.kernel); }
  std::int64_t points() const { return counts[0] * counts[1]; }
};

// Where each tap of each window is without an offset along dimension `d`: [1, taps * points].
Term regular_positions(const Deformation& of, std::size_t d) {
  std::vector<double> positions;
  for (std::int64_t tap = 0; tap < of.taps(); ++tap) {
    const tensor::Shape within = tensor::coordinates_of(of.windows.kernel, static_cast<std::uint64_t>(tap));
    for (std::int64_t point = 0; point < of.points(); ++point) {
      const tensor::Shape at = tensor::coordinates_of(of.counts, static_cast<std::uint64_t>(point));
      positions.push_back(static_cast<double>(at[d] * of.windows.stride[d] - of.windows.before[d] +
                                              within[d] * of.windows.dilation[d]));
    }
  }
  const std::int64_t count = of.taps() * of.points();
  return known_term(array_of(FileType::F32, {1, count}, std::span<const double>(positions)));
}

// What the taps read, [N, points, C, taps].
Term columns_of(const NodeContext& node, const Deformation& of) {
  Builder& b = node.b;
  const Term& x = node.in(0);
  const std::int64_t batches = x.shape[0], height = x.shape[2], width = x.shape[3], channels = x.shape[1] / of.groups;
  const std::int64_t images = batches * of.groups, reads = of.taps() * of.points();
  const Term offsets = b.cast(b.reshape(node.in(2), {images, of.taps(), 2, of.points()}), FileType::F32);
  std::vector<Neighbours> around;
  for (std::size_t d = 0; d < 2; ++d) {
    const Term own = b.reshape(b.slice_axis(offsets, 2, static_cast<std::int64_t>(d), 1), {images, reads});
    around.push_back(
        linear_neighbours(b, b.add(own, regular_positions(of, d)), d == 0 ? height : width, Outside::Zero));
  }
  const Term rows = b.transpose(b.reshape(x, {images, channels, height * width}), {0, 2, 1});
  const Term first = b.reshape(b.arange(FileType::I32, 0, images, height * width), {images, 1});
  Term values = weighted_sum(b, samples_at(b, b.reshape(rows, {images, height, width, channels}), first, around));
  if (node.has(4)) values = b.mul(values, b.reshape(node.in(4), {images, reads, 1}));
  const Term split = b.reshape(values, {batches, of.groups, of.taps(), of.points(), channels});
  return b.reshape(b.transpose(split, {0, 3, 1, 4, 2}), {batches, of.points(), x.shape[1], of.taps()});
}

}  // namespace

void emit_onnx_DeformConv(NodeContext& node) {
  const Term& x = node.in(0);
  const Term& weights = node.in(1);
  const Term& offsets = node.in(2);
  if (x.rank() != 4 || weights.rank() != 4 || offsets.rank() != 4)
    throw Refused(formatted("it is supported over two dimensions, not for a tensor of rank {}", x.rank()));
  const tensor::Shape taps(weights.shape.begin() + 2, weights.shape.end());
  Deformation of{.windows = window_attributes(node, kernel_shape(node, taps), std::span(x.shape).subspan(2)),
                 .counts = {offsets.shape[2], offsets.shape[3]},
                 .groups = node.integer("offset_group", 1)};
  const std::int64_t groups = node.integer("group", 1), outputs = weights.shape[0];
  if (of.groups < 1 || x.shape[1] % of.groups != 0 || offsets.shape[1] != 2 * of.groups * of.taps() ||
      offsets.shape[0] != x.shape[0] || of.windows.kernel != taps)
    throw Refused(formatted("offsets of shape {} do not fit the tensor", tensor::shape_text(offsets.shape)));
  if (groups < 1 || weights.shape[1] * groups != x.shape[1] || outputs % groups != 0)
    throw Refused(formatted("the weights {} do not fit {} channels", tensor::shape_text(weights.shape), x.shape[1]));
  Builder& b = node.b;
  const Term columns = columns_of(node, of);
  const std::int64_t inputs = weights.shape[1];
  std::vector<Term> parts;
  for (std::int64_t g = 0; g < groups; ++g) {
    const Term part = b.slice_axis(columns, 2, g * inputs, inputs);
    const Term own = b.slice_axis(weights, 0, g * (outputs / groups), outputs / groups);
    parts.push_back(b.linear(b.reshape(part, {x.shape[0], of.points(), inputs * of.taps()}),
                             b.reshape(own, {outputs / groups, inputs * of.taps()}), nullptr));
  }
  Term made = b.concat(parts, -1);
  if (node.has(3)) made = b.add(made, node.in(3));
  node.out(0, channels_first(b, b.reshape(made, {x.shape[0], of.counts[0], of.counts[1], outputs})));
}

void emit_onnx_Col2Im(NodeContext& node) {
  const Term& x = node.in(0);
  const std::vector<std::int64_t> image = node.integers(1, "image_shape"), block = node.integers(2, "block_shape");
  if (x.rank() != 3 || image.size() != block.size() || image.empty())
    throw Refused("the shapes of the columns, the image and the blocks do not fit");
  const Windows windows = window_attributes(node, block, image);
  const tensor::Shape counts = window_counts(windows, image);
  const std::int64_t taps = product_of(block), channels = x.shape[1] / taps;
  if (x.shape[1] % taps != 0 || product_of(counts) != x.shape[2])
    throw Refused(formatted("columns of shape {} do not fit the image", tensor::shape_text(x.shape)));
  constexpr std::int64_t kMaxTaps = 1024;
  if (taps > kMaxTaps) throw Refused(formatted("blocks of {} elements are not supported", taps));
  Builder& b = node.b;
  const Term columns = b.reshape(x, {x.shape[0], channels, taps, x.shape[2]});
  tensor::Shape split{x.shape[0] * channels}, shape{x.shape[0], channels};
  split.insert(split.end(), counts.begin(), counts.end());
  shape.insert(shape.end(), image.begin(), image.end());
  Term sum;
  for (std::int64_t tap = 0; tap < taps; ++tap) {
    const tensor::Shape within = tensor::coordinates_of(block, static_cast<std::uint64_t>(tap));
    Term part = b.reshape(b.slice_axis(columns, 2, tap, 1), split);
    tensor::Shape before{0}, after{0};
    for (std::size_t d = 0; d < image.size(); ++d) {
      part = with_zeros_between(b, part, 1 + d, windows.stride[d]);
      before.push_back(within[d] * windows.dilation[d] - windows.before[d]);
      after.push_back(image[d] - before.back() - part.shape[1 + d]);
    }
    part = b.pad(part, before, after, b.number(x.type, 0));
    sum = tap == 0 ? part : b.add(sum, part);
  }
  node.out(0, b.reshape(sum, std::move(shape)));
}

}  // namespace slipway::importer
