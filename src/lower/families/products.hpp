// Sums of products, many rows at a time: what contractions on processors are made of.
#pragma once

#include <span>
#include <vector>

#include "lower/families/contraction.hpp"
#include "lower/kernel_maker.hpp"

namespace slipway::lower {

// How many products of a sum are straight code: the driver blends and spills every sum at the end of an iteration, and
// compiles long code slowly.
inline constexpr std::int64_t kUnrolled = 16;

// Where a row of A is: some of its rows stand at constant distances from one place. In elements.
struct RowOfA {
  Value begin;  // uniform
  std::int64_t offset = 0;
};

struct Operands {
  BufferRef a, b;
  std::vector<RowOfA> rows;
  std::int64_t a_step = 1;  // between the factors of a row of A; if not 1, the rows stand side by side
  Value b_begin;            // of a panel, whose rows are a vector each
  std::uint32_t lanes = 8;
  std::int64_t unrolled = kUnrolled;  // at most
};

// Adds the products number `done` to `done + length - 1` of each row to its sum; the factors of A for them begin `a`
// behind the beginning of a row.
void add_products(Kernel& k, const Operands& operands, Value a, Value done, std::int64_t length,
                  std::span<const Variable> sums);

// How many products of 8-bit integers a float is sure to sum exactly, and whether that is all of them.
std::int64_t exact_products(const Contraction& c);
bool sums_exactly(const tosa::Graph& graph, const Contraction& c);
inline constexpr std::uint32_t kSumBits = 24;

// The result of the contraction itself, with its bias, as its declared type has it. The sum is a float, or an integer
// where there were too many products.
Value finished_sum(KernelMaker& maker, const Contraction& c, Value sum, Value channel);

}  // namespace slipway::lower
