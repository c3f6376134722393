#include "lower/families/products.hpp"

#include <algorithm>

namespace slipway::lower {
namespace {

void add_few(Kernel& k, const Operands& operands, Value a, Value done, std::int64_t count,
             std::span<const Variable> variables) {
  const Pointer from_b = k.pointer(operands.b, operands.b_begin + done * operands.lanes);
  std::vector<Pointer> from_a;
  std::vector<Value> sums;
  for (std::size_t row = 0; row < variables.size(); ++row) {
    from_a.push_back(k.pointer(operands.a, operands.rows[row].begin + a * operands.a_step));
    sums.push_back(k.get(variables[row]));
  }
  // What stands side by side in A is loaded together: of a row several factors, or of several rows a factor.
  std::vector<std::vector<Value>> factors;
  for (std::size_t row = 0; operands.a_step == 1 && row < sums.size(); ++row)
    factors.push_back(k.load_neighbours(from_a[row], operands.rows[row].offset, count));
  for (std::int64_t i = 0; i < count; ++i) {
    const Value factor = k.load_lanes(from_b, i * operands.lanes);
    std::vector<Value> column;
    if (operands.a_step != 1) column = k.load_neighbours(from_a[0], i * operands.a_step, std::ssize(sums));
    for (std::size_t row = 0; row < sums.size(); ++row) {
      const Value with = operands.a_step == 1 ? factors[row][static_cast<std::size_t>(i)] : column[row];
      sums[row] = k.multiply_add(with, factor, sums[row]);
    }
  }
  for (std::size_t row = 0; row < sums.size(); ++row) k.set(variables[row], sums[row]);
}

// As few steps as possible are left over, and no more code than needed.
std::int64_t unrolled(std::int64_t length, std::int64_t most) {
  for (std::int64_t count = most; count >= kUnrolled / 2; --count) {
    if (length % count == 0) return count;
  }
  return kUnrolled;
}

}  // namespace

void add_products(Kernel& k, const Operands& operands, Value a, Value done, std::int64_t length,
                  std::span<const Variable> sums) {
  const std::int64_t count = unrolled(length, operands.unrolled), whole = length / count, rest = length % count;
  k.loop(k.integer(whole), [&](Value i) { add_few(k, operands, a + i * count, done + i * count, count, sums); });
  if (rest) add_few(k, operands, a + whole * count, done + whole * count, rest, sums);
}

std::int64_t exact_products(const Contraction& c) {
  const auto largest = [](std::int64_t zero) { return std::max(128 + zero, 127 - zero); };
  const std::int64_t products = (std::int64_t{1} << kSumBits) / (largest(c.a_zero) * largest(c.b_zero));
  return products / kUnrolled * kUnrolled;
}

bool sums_exactly(const tosa::Graph& graph, const Contraction& c) {
  return tosa::is_float(graph[c.a].type.data) || c.depth() <= exact_products(c);
}

Value finished_sum(KernelMaker& maker, const Contraction& c, Value sum, Value channel) {
  const bool is_float = tosa::is_float(maker.graph()[c.node->outputs[0]].type.data);
  if (!is_float && sum.type() == Scalar::Float)
    sum = maker.kernel().int_of_whole(sum, c.depth() <= exact_products(c) / 4 ? kSumBits - 2 : kSumBits);
  return result_of_sum(maker, c, sum, channel);
}

}  // namespace slipway::lower
