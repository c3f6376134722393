// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Narrows float32 graphs to float16 (docs/spec/converter.md#pass-4).
#pragma once

#include "base/diagnostic.hpp"
#include "tosa/graph.hpp"

namespace slipway::convert {

enum class TypeNarrowing : std::uint8_t {
  None,
  Partial,         // tensors, but not accumulators
  Full,            // accumulators too
  FullPreserveIo,  // everything inside; inputs and outputs of the model stay float32
};

struct NarrowOptions {
  TypeNarrowing mode = TypeNarrowing::None;
  bool allow_overflow = false;  // constants that become infinite are a warning
};

// Only float32 is touched. FFT2D, RFFT2D and CUSTOM operators, which have no float16 form or fixed types, keep float32
// between CASTs; CASTs between equal types are removed. Errors: out-of-range, for constants beyond the range of
// float16.
void narrow_types(tosa::Graph& graph, const NarrowOptions& options, Diagnostics& diagnostics);

}  // namespace slipway::convert
