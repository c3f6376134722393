// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Writes at indices, and sums over elements with equal indices (docs/spec/import.md#scatter-with-duplicates). SCATTER
// of TOSA needs unique indices, so what may be written twice is combined before.
#pragma once

#include "importer/emit/builder.hpp"

namespace slipway::importer {

enum class Combine : std::uint8_t { Replace, Add, Mul, Max, Min };

// A copy of x [K, C] with whose rows at `indices` [G, L] the `updates` [G, L, C] are combined. Only indices of the same
// g may be equal; the last one replaces. Of indices that are not known and more than 1,024, those that replace have to
// be unique, as ONNX demands. Refused: too many updates are combined.
Term combine_rows(Builder& b, const Term& x, const Term& indices, const Term& updates, Combine how);

// The last dimension of `indices` has coordinates of slices of x, and `updates` one slice for each.
Term scatter_nd(Builder& b, const Term& x, const Term& indices, const Term& updates, Combine how);
// Elements of `updates`, at their own coordinates except for that of `axis`, which `indices` has.
Term scatter_elements(Builder& b, const Term& x, std::int64_t axis, const Term& indices, const Term& updates,
                      Combine how);

// Row k of the result [count, ...] is reduced from those rows of x [N, ...] whose `ids` [N] are k; ids that are out of
// range are left out.
Term reduce_segments(Builder& b, Reduction op, const Term& x, const Term& ids, std::int64_t count);

}  // namespace slipway::importer
