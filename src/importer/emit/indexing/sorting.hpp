// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The order of elements along an axis. Of equal elements, that with the lower index comes first; NaN has no order.
#pragma once

#include "importer/emit/builder.hpp"

namespace slipway::importer {

struct Sorted {
  Term values;
  Term indices;  // int32
};

// The first `count` elements of each line along the axis, from the largest or from the smallest on.
Sorted top_k(Builder& b, const Term& x, std::int64_t axis, std::int64_t count, bool largest);

// The index of the largest or smallest element, as int32, without the axis; of equal ones the first or the last.
Term extreme_index(Builder& b, const Term& x, std::int64_t axis, bool largest, bool last);

}  // namespace slipway::importer
