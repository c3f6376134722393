// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Access to elements by their indices, as both formats have it (docs/spec/import.md#building-blocks). Like the builder,
// all of these compute on the host what is known and small, and throw Refused.
#pragma once

#include <span>

#include "importer/emit/builder.hpp"

namespace slipway::importer {

// start:end:step of one axis as in Python: bounds below 0 count from the end, and both are clamped to the axis.
struct AxisRange {
  std::int64_t axis = 0, start = 0, end = 0, step = 1;
};
Term slice_ranges(Builder& b, const Term& x, std::span<const AxisRange> ranges);

// The elements of an axis at `indices` from 0 on, in any order: slices where that takes few of them.
Term take_list(Builder& b, const Term& x, std::int64_t axis, std::span<const std::int64_t> indices);

// Indices as int32 from 0 on; those below 0 count from the end of `extent` elements. Refused: a known one is out of
// range.
Term normal_indices(Builder& b, const Term& indices, std::int64_t extent);
// The last dimension of `indices` has coordinates in a tensor of shape `extents`; the result, without it, has linear
// ones.
Term linear_indices(Builder& b, const Term& indices, tensor::ShapeView extents);
// For each coordinate of `shape`, its linear index in a tensor of shape `extents`, with a coordinate 0 for `axis`.
Term line_starts(Builder& b, const tensor::Shape& shape, const tensor::Shape& extents, std::size_t axis);

// The first `batch` dimensions of both belong together; the last of `indices` has coordinates of slices of x.
Term gather_nd(Builder& b, const Term& x, const Term& indices, std::size_t batch);
// The coordinate of `axis` is replaced by that of `indices`, whose shape the result has.
Term gather_elements(Builder& b, const Term& x, std::int64_t axis, const Term& indices);

// Inserts an axis of `depth` elements: `on` where the position is that of `indices` and `off` elsewhere, two terms of
// one element. Indices below 0 match nothing.
Term one_hot(Builder& b, const Term& indices, std::int64_t depth, std::int64_t axis, const Term& on, const Term& off);

enum class PadMode : std::uint8_t {
  Edge,
  Reflect,    // without the element at the edge
  Symmetric,  // with it
  Wrap
};
// Negative amounts crop.
Term pad_by_index(Builder& b, const Term& x, const tensor::Shape& before, const tensor::Shape& after, PadMode mode);

// Of tensors [N, H, W, C] whose channels are [block, block, depth].
Term depth_to_space_last(Builder& b, const Term& x, std::int64_t block);
Term space_to_depth_last(Builder& b, const Term& x, std::int64_t block);

// The first `lengths` [batch] elements of the time axis are reversed.
Term reverse_sequence(Builder& b, const Term& x, const Term& lengths, std::int64_t batch_axis, std::int64_t time_axis);

}  // namespace slipway::importer
