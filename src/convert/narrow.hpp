// Makes float32 graphs float16 (converter page 3.7, pass 4).
#pragma once

#include "base/diagnostic.hpp"
#include "tosa/graph.hpp"

namespace slipway::convert {

enum class TypeNarrowing : std::uint8_t {
  None,
  Partial,         // tensors, but not accumulators
  Full,            // accumulators too
  FullPreserveIo,  // all inside; inputs and outputs of the model stay float32
};

struct NarrowSettings {
  TypeNarrowing mode = TypeNarrowing::None;
  bool allow_overflow = false;  // constants that become infinite are a warning
};

// Only float32 is touched. FFT2D, RFFT2D and CUSTOM operators, which have no form for float16 or fix their types
// elsewhere, keep float32 between CASTs; CASTs between equal types vanish. Errors: out-of-range, for constants beyond
// the range of float16.
void narrow_types(tosa::Graph& graph, const NarrowSettings& settings, Diagnostics& diagnostics);

}  // namespace slipway::convert
