// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Unsigned integers of 8 and 16 bits in a graph, whose integers have signs (docs/spec/import.md#types).
#pragma once

#include "importer/emit/builder.hpp"

namespace slipway::importer {

// uint8 as int8 with 128 subtracted, uint16 as int16 with 32768 subtracted; others unchanged. Comparisons agree.
Term as_signed(Builder& b, const Term& x);
// The inverse; `type` is the unsigned type, or that of x.
Term from_signed(Builder& b, const Term& x, FileType type);
// What as_signed subtracts from the integers of a type.
std::int64_t signed_offset(FileType type);

}  // namespace slipway::importer
