// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Constants rearranged into the order in which kernels read them.
//
// A matrix of `rows` x `columns` inside a constant becomes panels of `width` columns: first all rows of the first
// panel, `width` neighbours of each row, then the next panel. Columns after the last one are zero.
//
// With groups, `group` rows are together: all of them of the first column, then of the next one. Groups end where
// blocks of rows end; rows that a group lacks are zero. A block may have further groups, of zeros.
#pragma once

#include <cstdint>

#include "base/bytes.hpp"
#include "tensor/element_type.hpp"

namespace slipway::lower {

struct Packing {
  std::int64_t batches = 1, batch_stride = 0;  // matrices; all strides in elements of the constant
  std::int64_t rows = 1, row_stride = 0;
  std::int64_t columns = 1, column_stride = 1;
  std::int64_t width = 1;
  tensor::ElementType from = tensor::ElementType::F32, to = tensor::ElementType::F32;
  std::int64_t zero = 0;             // subtracted from every element
  bool sums = false;                 // the sum of all rows instead of the rows; of integers, as I32
  std::int64_t group = 1;            // of elements that stay as they are, or of integers as I16
  std::int64_t block = 0;            // with groups: rows of a block
  std::int64_t groups_of_block = 0;  // 0: as many as its rows need
  bool operator==(const Packing&) const = default;

  std::int64_t panels() const { return (columns + width - 1) / width; }
  std::int64_t groups() const {  // of a column
    if (group == 1) return rows;
    return rows / block * (groups_of_block ? groups_of_block : (block + group - 1) / group);
  }
  std::uint64_t size() const {  // bytes
    return static_cast<std::uint64_t>(batches * panels() * (sums ? 1 : group * groups()) * width) * tensor::size_of(to);
  }
};

// `to` must have packing.size() bytes. `splat`: `from` is a single element, the value of all elements.
void pack(const Packing& packing, Bytes from, bool splat, MutableBytes to);

}  // namespace slipway::lower
