// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sums of products, many rows at a time: the inner loop of contractions on CPUs.
#pragma once

#include <span>
#include <vector>

#include "lower/kernel_builder.hpp"
#include "lower/strategies/contraction/contraction.hpp"

namespace slipway::lower {

// Where a row of A is: `offset` elements after `begin`. Rows with a common `begin` share address arithmetic.
struct RowOfA {
  Value begin;  // uniform
  std::int64_t offset = 0;
};

struct ProductOperands {
  BufferRef a, b;
  std::vector<RowOfA> rows;
  std::int64_t a_step = 1;  // elements between the factors of a row of A; if not 1, the rows are interleaved
  Value b_begin;            // of the first panel; the rows of a panel are a vector each
  std::int64_t panels = 1, panel_size = 0;  // that each row is multiplied by; in elements of B
  std::int64_t b_step = 8;                  // elements of B from one row of a panel to the next
  std::int64_t max_unrolled = kUnrolled;
  Factors factors = Factors::Floats;  // otherwise B is words of several rows (words_of_b)
  bool signed_bytes = false;          // DeviceFacts::signed_dot_products
  bool lane_factors = false;          // DeviceFacts::lane_factors
  std::int64_t products() const { return products_of_step(factors); }
};

// Whether the sums of `rows` rows with `panels` panels stay in registers, with the factors of the panels and one
// register to spare; also a product of pairs, or the signs and a word of bytes. Where factors are lanes, also a vector
// of each row, which stays for as many steps as it has lanes.
inline bool fits_registers(std::int64_t rows, std::int64_t panels, Factors factors, const DeviceFacts& device) {
  const std::int64_t others = device.lane_factors          ? rows + 1
                              : factors == Factors::Floats ? 1
                              : factors == Factors::Pairs  ? 2
                                                           : 3;
  return rows * panels + panels + others <= device.vector_registers;
}

// Adds the products of the steps `done` to `done + length - 1` of each row with each panel to their sum; the factors of
// A for them begin `a` elements after the beginning of a row. Of bytes, a sum is that of
// (a + DeviceFacts::byte_offset()) * b. `sums`: by row, then by panel.
void add_products(Kernel& k, const ProductOperands& operands, Value a, Value done, std::int64_t length,
                  std::span<const Variable> sums);

// The same with matrices of the device: matrices of `rows` rows of A times panels of B, whose words have a row of
// 32-bit sums each (words_of_b).
struct MatrixOperands {
  BufferRef a, b;
  std::vector<RowOfA> matrices;  // the first row of each matrix of A
  std::int64_t rows = 1, row_stride = 0;
  Value b_begin;                            // of the first panel
  std::int64_t panels = 1, panel_size = 0;  // in words
  std::int64_t b_step = 16;                 // words of B from one row of a panel to the next
  bool by_column = false;                   // the words of a step are neighbours in B, and not rows of a panel
  std::int64_t words = 1;                   // of a row of A in one step
  std::int64_t in_word = 4;                 // factors
  MatrixType a_type, b_type, sum_type;
};

// `sums`: of each matrix of A with each panel. `a` as above; the words of `steps` steps begin `done` rows after the
// beginning of a panel.
void add_matrix_products(Kernel& k, const MatrixOperands& operands, Value a, Value done, std::int64_t steps,
                         std::span<const MatrixVariable> sums);

}  // namespace slipway::lower
