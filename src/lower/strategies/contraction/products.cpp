// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lower/strategies/contraction/products.hpp"

#include <algorithm>

namespace slipway::lower {
namespace {

// What some steps read: rows of A from their factors on, and panels of B.
struct Sources {
  std::vector<Pointer> rows;
  Pointer panels;
};

// With native vectors the address of the beginning of a row is computed once, outside of loops over its steps.
Sources sources(Kernel& k, const ProductOperands& operands, Value a, Value done) {
  const auto pointer = [&](BufferRef buffer, Value begin, Value steps) {
    return k.grid().native_vectors ? k.advanced(k.pointer(buffer, begin), steps) : k.pointer(buffer, begin + steps);
  };
  Sources all;
  for (const RowOfA& row : operands.rows) all.rows.push_back(pointer(operands.a, row.begin, a * operands.a_step));
  all.panels = pointer(operands.b, operands.b_begin, done * operands.b_step);
  return all;
}

std::vector<Value> factors_of_b(Kernel& k, const ProductOperands& operands, const Sources& from, std::int64_t step) {
  std::vector<Value> factors;
  for (std::int64_t panel = 0; panel < operands.panels; ++panel)
    factors.push_back(k.load_lanes(from.panels, panel * operands.panel_size + step * operands.b_step));
  return factors;
}

// If the instruction multiplies unsigned and signed bytes, the signs of bytes of A are flipped, which adds 128 to each.
void add_few_words(Kernel& k, const ProductOperands& operands, const Sources& from, std::int64_t count,
                   std::span<Value> sums) {
  constexpr auto kSigns = static_cast<std::int32_t>(0x80808080);
  for (std::int64_t i = 0; i < count; ++i) {
    const std::vector<Value> factors = factors_of_b(k, operands, from, i);
    auto sum = sums.begin();
    for (std::size_t row = 0; row < from.rows.size(); ++row) {
      const std::int64_t offset = operands.rows[row].offset * tensor::size_of(type_of(operands.factors));
      const Value word = k.load_word(from.rows[row], offset + i * kBytesOfWord);
      const bool flipped = operands.factors == Factors::Bytes && !operands.signed_bytes;
      for (const Value& factor : factors) {
        *sum = operands.factors == Factors::Pairs
                   ? k.pair_add(word, factor, *sum)
                   : k.dot_add(flipped ? word ^ k.integer(kSigns) : word, operands.signed_bytes, factor, *sum);
        ++sum;
      }
    }
  }
}

void add_few(Kernel& k, const ProductOperands& operands, const Sources& from, std::int64_t count,
             std::span<Value> sums) {
  // Neighbours in A are loaded together: several factors of one row, or one factor of several rows.
  // With native vectors each is an operand in memory of the instruction that uses it.
  const bool at_use = operands.a_step == 1 && k.grid().native_vectors;
  std::vector<std::vector<Value>> of_rows;
  for (std::size_t row = 0; operands.a_step == 1 && !at_use && row < from.rows.size(); ++row)
    of_rows.push_back(k.load_neighbours(from.rows[row], operands.rows[row].offset, count));
  for (std::int64_t i = 0; i < count; ++i) {
    const std::vector<Value> factors = factors_of_b(k, operands, from, i);
    std::vector<Value> column;
    if (operands.a_step != 1) column = k.load_neighbours(from.rows[0], i * operands.a_step, std::ssize(from.rows));
    auto sum = sums.begin();
    for (std::size_t row = 0; row < from.rows.size(); ++row) {
      const Value with = at_use                 ? k.load(from.rows[row], operands.rows[row].offset + i)
                         : operands.a_step == 1 ? of_rows[row][static_cast<std::size_t>(i)]
                                                : column[row];
      for (const Value& factor : factors) {
        *sum = k.multiply_add(with, factor, *sum);
        ++sum;
      }
    }
  }
}

// Leaves as few products over as possible, without more code than needed. Where factors are lanes, their vectors should
// be whole.
std::int64_t unrolled(std::int64_t length, std::int64_t max, bool native, bool lane_factors) {
  if (native) {
    constexpr std::int64_t kLanes = 4;
    max = std::min(max, length);
    for (std::int64_t count = max / kLanes * kLanes; lane_factors && 2 * count >= max; count -= kLanes) {
      if (length % count == 0) return count;
    }
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
  const std::int64_t count = unrolled(length, operands.max_unrolled, k.grid().native_vectors, operands.lane_factors),
                     whole = length / count, rest = length % count;
  const std::int64_t step = count * operands.products();
  const auto add = [&](Value in_row, Value first, std::int64_t steps) {
    const Sources from = sources(k, operands, in_row, first);
    std::vector<Value> now;
    for (const Variable& sum : sums) now.push_back(k.get(sum));
    (operands.factors == Factors::Floats ? add_few : add_few_words)(k, operands, from, steps, now);
    for (std::size_t i = 0; i < sums.size(); ++i) k.set(sums[i], now[i]);
  };
  k.loop(k.integer(whole), [&](Value i) { add(a + i * step, done + i * count, count); });
  if (rest) add(a + whole * step, done + whole * count, rest);
}

// Of a row of A.
constexpr std::int64_t kWordsOfIteration = 8;

void add_matrix_products(Kernel& k, const MatrixOperands& operands, Value a, Value done, std::int64_t steps,
                         std::span<const MatrixVariable> sums) {
  const auto add = [&](Value from, std::int64_t step) {
    const std::int64_t words = step * operands.words;
    const Pointer from_b = k.pointer(operands.b, operands.b_begin + (done + from * operands.words) * operands.b_step);
    const auto load_b = [&](std::int64_t panel) {
      return k.load_matrix(operands.b_type, from_b, panel * operands.panel_size + words * operands.b_step,
                           operands.by_column ? operands.words : operands.b_step,
                           operands.by_column ? MatrixOrder::ByColumn : MatrixOrder::ByWords);
    };
    const auto load_a = [&](const RowOfA& first) {
      const Pointer from_a = k.pointer(operands.a, first.begin + a + from * (operands.words * operands.in_word));
      return k.load_matrix(operands.a_type, from_a, first.offset + words * operands.in_word, operands.row_stride,
                           MatrixOrder::ByRow);
    };
    const auto multiply = [&](std::size_t matrix, std::int64_t panel, const Matrix& rows, const Matrix& columns) {
      const MatrixVariable& sum =
          sums[matrix * static_cast<std::size_t>(operands.panels) + static_cast<std::size_t>(panel)];
      k.set(sum, k.multiply_add(rows, columns, k.get(sum)));
    };
    // Matrices in vectors leave few registers: those of B, which are more, are loaded one after the other.
    std::vector<Matrix> kept;
    if (operands.by_column) {
      for (const RowOfA& first : operands.matrices) kept.push_back(load_a(first));
      for (std::int64_t panel = 0; panel < operands.panels; ++panel) {
        const Matrix columns = load_b(panel);
        for (std::size_t i = 0; i < kept.size(); ++i) multiply(i, panel, kept[i], columns);
      }
      return;
    }
    for (std::int64_t panel = 0; panel < operands.panels; ++panel) kept.push_back(load_b(panel));
    for (std::size_t i = 0; i < operands.matrices.size(); ++i) {
      const Matrix rows = load_a(operands.matrices[i]);
      for (std::int64_t panel = 0; panel < operands.panels; ++panel)
        multiply(i, panel, rows, kept[static_cast<std::size_t>(panel)]);
    }
  };
  // Short steps are several in an iteration.
  const std::int64_t unrolled = std::clamp<std::int64_t>(kWordsOfIteration / operands.words, 1, steps);
  k.loop(k.integer(steps / unrolled), [&](Value i) {
    const Value from = unrolled == 1 ? i : i * unrolled;
    for (std::int64_t step = 0; step < unrolled; ++step) add(from, step);
  });
  for (std::int64_t step = steps / unrolled * unrolled; step < steps; ++step) add(k.integer(0), step);
}

}  // namespace slipway::lower
