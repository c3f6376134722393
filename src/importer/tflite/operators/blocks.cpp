// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Operators that move data between dimensions in blocks.
#include "base/format.hpp"
#include "importer/emit/indexing/indexing.hpp"
#include "importer/tflite/operators.hpp"
#include "importer/tflite/operators/common.hpp"

namespace slipway::importer {
namespace {

std::int64_t block_size(const NodeContext& node) {
  const std::int64_t size = node.integer("block_size", 0);
  if (size < 1) throw Refused(formatted("the size of a block is {}", size));
  if (node.in(0).rank() != 4) throw Refused("the tensor has to have rank 4");
  return size;
}

// The lists of BATCH_TO_SPACE_ND and SPACE_TO_BATCH_ND: a block and two amounts for each spatial dimension.
struct SpatialBlocks {
  std::vector<std::int64_t> size, before, after;
  std::int64_t product = 1;
};

SpatialBlocks spatial_blocks(const NodeContext& node, std::string_view amounts) {
  SpatialBlocks made{.size = node.integers(1, "block_shape"), .before = {}, .after = {}};
  const std::vector<std::int64_t> list = node.integers(2, amounts);
  if (list.size() != 2 * made.size.size() || made.size.size() + 1 > node.in(0).rank())
    throw Refused("its lists do not fit the tensor");
  for (std::size_t d = 0; d < made.size.size(); ++d) {
    if (made.size[d] < 1 || list[2 * d] < 0 || list[2 * d + 1] < 0)
      throw Refused("its lists have elements that are too small");
    made.before.push_back(list[2 * d]);
    made.after.push_back(list[2 * d + 1]);
    made.product *= made.size[d];
  }
  return made;
}

// One spatial dimension at a time, so that ranks stay small: x [blocks..., N, spatial..., rest].
std::int64_t product_from(const Term& x, std::size_t first) {
  std::int64_t product = 1;
  for (std::size_t d = first; d < x.rank(); ++d) product *= x.shape[d];
  return product;
}

}  // namespace

void emit_tflite_DEPTH_TO_SPACE(NodeContext& node) {
  node.out(0, depth_to_space_last(node.b, node.in(0), block_size(node)));
}
void emit_tflite_SPACE_TO_DEPTH(NodeContext& node) {
  node.out(0, space_to_depth_last(node.b, node.in(0), block_size(node)));
}

void emit_tflite_SPACE_TO_BATCH_ND(NodeContext& node) {
  Builder& b = node.b;
  const SpatialBlocks blocks = spatial_blocks(node, "paddings");
  Term x = node.in(0);
  tensor::Shape before(x.rank(), 0), after(x.rank(), 0);
  for (std::size_t d = 0; d < blocks.size.size(); ++d) {
    before[1 + d] = blocks.before[d];
    after[1 + d] = blocks.after[d];
  }
  const double zero = is_quantised(node) ? static_cast<double>(x.quantization->zero_point()) : 0;
  x = b.pad(x, before, after, b.number(x.type, zero));
  // The last dimension first, so that the first block is the outermost.
  for (std::size_t d = blocks.size.size(); d-- > 0;) {
    const std::int64_t size = blocks.size[d], extent = x.shape[1 + d];
    if (extent % size != 0) throw Refused(formatted("{} elements are not divided by blocks of {}", extent, size));
    tensor::Shape shape = x.shape;
    std::int64_t outer = 1;
    for (std::size_t k = 0; k <= d; ++k) outer *= x.shape[k];
    const Term split = b.reshape(x, {outer, extent / size, size, product_from(x, d + 2)});
    shape[0] *= size;
    shape[1 + d] = extent / size;
    x = b.reshape(b.transpose(split, {2, 0, 1, 3}), shape);
  }
  node.out(0, std::move(x));
}

void emit_tflite_BATCH_TO_SPACE_ND(NodeContext& node) {
  Builder& b = node.b;
  const SpatialBlocks blocks = spatial_blocks(node, "crops");
  Term x = node.in(0);
  if (x.shape[0] % blocks.product != 0)
    throw Refused(formatted("{} batches are not divided by blocks of {}", x.shape[0], blocks.product));
  for (std::size_t d = 0; d < blocks.size.size(); ++d) {
    const std::int64_t size = blocks.size[d], extent = x.shape[1 + d];
    tensor::Shape shape = x.shape;
    shape[0] /= size;
    shape[1 + d] *= size;
    std::int64_t outer = shape[0];
    for (std::size_t k = 1; k <= d; ++k) outer *= x.shape[k];
    const Term split = b.reshape(x, {size, outer, extent, product_from(x, d + 2)});
    x = b.reshape(b.transpose(split, {1, 2, 0, 3}), shape);
  }
  tensor::Shape start(x.rank(), 0), count = x.shape;
  for (std::size_t d = 0; d < blocks.size.size(); ++d) {
    start[1 + d] = blocks.before[d];
    count[1 + d] -= blocks.before[d] + blocks.after[d];
    if (count[1 + d] < 0) throw Refused("crops take more than the tensor has");
  }
  node.out(0, b.slice(x, start, count));
}

}  // namespace slipway::importer
