// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Building blocks that move data, and compute none: RESHAPE, TRANSPOSE, SLICE and the like.
#pragma once

#include <initializer_list>
#include <span>
#include <vector>

#include "importer/emit/builder/term_graph.hpp"

namespace slipway::importer {

class Movement : public TermGraph {
 public:
  Term reshape(const Term& x, tensor::Shape shape);
  Term transpose(const Term& x, std::vector<std::int64_t> permutation);
  Term slice(const Term& x, const tensor::Shape& start, const tensor::Shape& size);
  // `count` elements of an axis from `start` on, with any step but 0.
  Term stride(const Term& x, std::int64_t axis, std::int64_t start, std::int64_t step, std::int64_t count);
  Term slice_axis(const Term& x, std::int64_t axis, std::int64_t start, std::int64_t count) {
    return stride(x, axis, start, 1, count);
  }
  Term reverse(const Term& x, std::int64_t axis);
  Term concat(std::span<const Term> parts, std::int64_t axis);
  Term concat(std::initializer_list<Term> parts, std::int64_t axis) {
    return concat(std::span(parts.begin(), parts.size()), axis);
  }
  Term tile(const Term& x, const tensor::Shape& multiples);
  Term broadcast(const Term& x, const tensor::Shape& shape);  // to that very shape
  Term unsqueeze(const Term& x, std::int64_t axis);
  Term squeeze(const Term& x, std::int64_t axis);
  // Inserts ones in front.
  Term with_rank(const Term& x, std::size_t rank);
  // The same bits in another type of the same graph type: uint8 as int8.
  Term relabel(const Term& x, FileType type);

 protected:
  // `filling` is one element of the type of `x`. Negative amounts crop.
  Term pad_with(const Term& x, const tensor::Shape& before, const tensor::Shape& after, const Array& filling);
};

}  // namespace slipway::importer
