// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Operators of TOSA 1.1, expressed in TOSA 1.0 (docs/spec/tosa.md#tosa-11).
//
//   MATMUL_T                   TRANSPOSE and MATMUL, with casts to f32 where the types differ
//   ROW_GATHER                 GATHER of an index for each row
//   CAST with input_unsigned   CAST and BITWISE_AND of 32-bit integers
//   *_BLOCK_SCALED             products with the scales of the blocks in f32; the types of blocks become f32 where they
//   are
//                              not those of inputs or outputs
//
// Integers are equal bit for bit, and floats within the bound of the operator. Adaptive pools are AVG_POOL2D and
// MAX_POOL2D after reading. Names and locations of the operators stay.
#pragma once

#include "tosa/graph.hpp"

namespace slipway::tosa {

bool is_tosa_1_1(const Node& node);

// The graph must be verified. Operators whose shapes are not known well enough stay as they are.
void lower_to_1_0(Graph& graph);

}  // namespace slipway::tosa
