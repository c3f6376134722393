// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The operands of contractions in the order in which kernels read them. Constants are packed when the model is loaded,
// other values by kernels of their own.
#pragma once

#include "lower/program_builder.hpp"
#include "lower/strategies/contraction/contraction.hpp"

namespace slipway::lower {

// Whether A is stored with its border, as elements of this type.
bool is_stored_as(const ProgramBuilder& program, const Contraction& c, ElementType type);

// An element of an operand as a 32-bit float, without its zero point: exact for integers of 8 bits.
Value as_float(Kernel& k, Value element, std::int64_t zero);

// A copy of A as `to` with its border; empty when the stored value is that already. Floats are without the zero point,
// so that the border is 0, and so are 16-bit integers; 8-bit integers keep it, and the border is the zero point.
// `spare`: bytes after the last element, which readers may read; if not 0, A is copied always.
std::optional<std::uint32_t> bordered_a(ProgramBuilder& program, const Contraction& c, ElementType to,
                                        std::uint64_t spare = 0);

// Of the stored values of the program.
tosa::ValueId source_of(const ProgramBuilder& program, tosa::ValueId value);

// The A of a matrix product with the rows of a tile interleaved: [batch][tiles][K][tile rows]. The last tile is moved
// back into the matrix.
std::uint32_t interleaved_a(ProgramBuilder& program, const Contraction& c, std::int64_t tile_rows);

// B as floats of type `to` in panels of `width` channels: [batch of a matrix product][panels][K][width].
std::uint32_t panels_of_b(ProgramBuilder& program, const Contraction& c, std::int64_t width, ElementType to);

struct WordsOfB {
  std::int64_t words = 1;            // of a group
  std::int64_t groups_of_block = 0;  // of K; 0: as many as it needs
};

// A constant B of 8-bit integers or 16-bit floats in panels of `width` channels: [batch of a matrix
// product][panels][groups][width][words of a group], four or two products of a channel in each word, which are 8-bit
// integers, 16-bit floats or 16-bit integers without their zero point (`to`). And the sums of all products of 8-bit
// integers: [batch][panels][width], 32-bit integers.
std::uint32_t words_of_b(ProgramBuilder& program, const Contraction& c, std::int64_t width, ElementType to,
                         const WordsOfB& words = {});
std::uint32_t sums_of_panels(ProgramBuilder& program, const Contraction& c, std::int64_t width);

// The stored value that has B channel by channel, [batch of a matrix product][N][K], if there is one: the weights of a
// convolution, or the matrix whose transpose is B.
std::optional<tosa::ValueId> stored_channels_of_b(const ProgramBuilder& program, const Contraction& c);

// B channel by channel, 8-bit integers as they are. Empty where there is such a stored value.
std::optional<std::uint32_t> channels_of_b(ProgramBuilder& program, const Contraction& c);

// The sum of all elements of each channel of B, a constant of 8-bit integers: [batch][N], 32-bit integers.
std::uint32_t sums_of_b(ProgramBuilder& program, const Contraction& c);

}  // namespace slipway::lower
