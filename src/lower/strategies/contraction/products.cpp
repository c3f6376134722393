// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lower/strategies/contraction/products.hpp"

#include <algorithm>

namespace slipway::lower {
namespace {

// The signs of A are flipped, which adds 128 to each element: the instruction multiplies unsigned and signed bytes.
void add_few_words(Kernel& k, const ProductOperands& operands, Value a, Value done, std::int64_t count,
                   std::span<const Variable> variables) {
  constexpr auto kSigns = static_cast<std::int32_t>(0x80808080);
  const Pointer from_b = k.pointer(operands.b, operands.b_begin + done * operands.lanes);
  std::vector<Pointer> from_a;
  std::vector<Value> sums;
  for (std::size_t row = 0; row < variables.size(); ++row) {
    from_a.push_back(k.pointer(operands.a, operands.rows[row].begin + a));
    sums.push_back(k.get(variables[row]));
  }
  for (std::int64_t i = 0; i < count; ++i) {
    const Value factors = k.load_lanes(from_b, i * operands.lanes);
    for (std::size_t row = 0; row < sums.size(); ++row) {
      const Value word = k.load_word(from_a[row], operands.rows[row].offset + i * kBytesOfWord);
      sums[row] = k.dot_add(word ^ k.integer(kSigns), factors, sums[row]);
    }
  }
  for (std::size_t row = 0; row < sums.size(); ++row) k.set(variables[row], sums[row]);
}

void add_few(Kernel& k, const ProductOperands& operands, Value a, Value done, std::int64_t count,
             std::span<const Variable> variables) {
  const Pointer from_b = k.pointer(operands.b, operands.b_begin + done * operands.lanes);
  std::vector<Pointer> from_a;
  std::vector<Value> sums;
  for (std::size_t row = 0; row < variables.size(); ++row) {
    from_a.push_back(k.pointer(operands.a, operands.rows[row].begin + a * operands.a_step));
    sums.push_back(k.get(variables[row]));
  }
  // Neighbours in A are loaded together: several factors of one row, or one factor of several rows.
  // With native vectors each is an operand in memory of the instruction that uses it.
  const bool at_use = operands.a_step == 1 && k.grid().native_vectors;
  std::vector<std::vector<Value>> factors;
  for (std::size_t row = 0; operands.a_step == 1 && !at_use && row < sums.size(); ++row)
    factors.push_back(k.load_neighbours(from_a[row], operands.rows[row].offset, count));
  for (std::int64_t i = 0; i < count; ++i) {
    const Value factor = k.load_lanes(from_b, i * operands.lanes);
    std::vector<Value> column;
    if (operands.a_step != 1) column = k.load_neighbours(from_a[0], i * operands.a_step, std::ssize(sums));
    for (std::size_t row = 0; row < sums.size(); ++row) {
      const Value with = at_use                 ? k.load(from_a[row], operands.rows[row].offset + i)
                         : operands.a_step == 1 ? factors[row][static_cast<std::size_t>(i)]
                                                : column[row];
      sums[row] = k.multiply_add(with, factor, sums[row]);
    }
  }
  for (std::size_t row = 0; row < sums.size(); ++row) k.set(variables[row], sums[row]);
}

// Leaves as few products over as possible, without more code than needed.
std::int64_t unrolled(std::int64_t length, std::int64_t max, bool native) {
  if (native) {
    max = std::min(max, length);
    for (std::int64_t count = max; 2 * count >= max; --count) {
      if (length % count == 0) return count;
    }
    return max;
  }
  for (std::int64_t count = max; count >= kUnrolled / 2; --count) {
    if (length % count == 0) return count;
  }
  return kUnrolled;
}

}  // namespace

void add_products(Kernel& k, const ProductOperands& operands, Value a, Value done, std::int64_t length,
                  std::span<const Variable> sums) {
  const std::int64_t count = unrolled(length, operands.max_unrolled, k.grid().native_vectors), whole = length / count,
                     rest = length % count;
  const auto add = operands.are_bytes ? add_few_words : add_few;
  const std::int64_t step = count * operands.products();
  k.loop(k.integer(whole), [&](Value i) { add(k, operands, a + i * step, done + i * count, count, sums); });
  if (rest) add(k, operands, a + whole * step, done + whole * count, rest, sums);
}

void add_matrix_products(Kernel& k, const MatrixOperands& operands, Value a, Value done, std::int64_t steps,
                         std::span<const MatrixVariable> sums) {
  k.loop(k.integer(steps), [&](Value i) {
    const Pointer from_b = k.pointer(operands.b, operands.b_begin + (done + i * operands.words) * operands.lanes);
    std::vector<Matrix> panels;
    for (std::int64_t panel = 0; panel < operands.panels; ++panel) {
      panels.push_back(
          k.load_matrix(operands.b_type, from_b, panel * operands.panel_size, operands.lanes, MatrixOrder::ByWords));
    }
    auto sum = sums.begin();
    for (const RowOfA& first : operands.matrices) {
      const Pointer from_a = k.pointer(operands.a, first.begin + a + i * (operands.words * operands.in_word));
      const Matrix rows = k.load_matrix(operands.a_type, from_a, first.offset, operands.row_stride, MatrixOrder::ByRow);
      for (const Matrix& panel : panels) {
        k.set(*sum, k.multiply_add(rows, panel, k.get(*sum)));
        ++sum;
      }
    }
  });
}

}  // namespace slipway::lower
