// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reductions along one axis, and ARGMAX (docs/spec/tosa.md#reductions, docs/spec/tosa.md#argmax).
#include <algorithm>

#include "reference/axis.hpp"
#include "reference/operation.hpp"

namespace slipway::reference {
namespace {

template <class Use>
void for_each_on_axis(const Operation& operation, Use&& use) {
  reference::for_each_on_axis(operation.in().type.shape, static_cast<std::size_t>(operation.integer("axis")),
                              [&](std::size_t to, std::size_t from, std::int64_t k) {
                                go_on_at(from);
                                use(to, from, k);
                              });
}

template <class F>
void reduce_integers(Operation& operation, std::int64_t start, F&& f) {
  std::vector<std::int64_t>& out = operation.out().integers;
  const DataType type = operation.out().type.data;
  std::ranges::fill(out, start);
  for_each_on_axis(operation, [&](std::size_t to, std::size_t from, std::int64_t) {
    out[to] = wrap_to(type, f(out[to], operation.in().integers[from]));
  });
}
template <class F>
void reduce_reals(Operation& operation, double start, F&& f) {
  std::vector<double>& out = operation.out().reals;
  std::ranges::fill(out, start);
  for_each_on_axis(operation, [&](std::size_t to, std::size_t from, std::int64_t) {
    out[to] = f(out[to], operation.in().reals[from]);
  });
}

}  // namespace

void run_REDUCE_ALL(Operation& operation) { reduce_integers(operation, 1, std::bit_and<std::int64_t>()); }
void run_REDUCE_ANY(Operation& operation) { reduce_integers(operation, 0, std::bit_or<std::int64_t>()); }

void run_REDUCE_MAX(Operation& operation) {
  const bool ignore = operation.ignores_nan();
  if (operation.out().is_float())
    return reduce_reals(operation, ignore ? kNan : -kInfinity,
                        [&](double a, double b) { return max_with(a, b, ignore); });
  reduce_integers(operation, min_integer(operation.out().type.data),
                  [](std::int64_t a, std::int64_t b) { return std::max(a, b); });
}
void run_REDUCE_MIN(Operation& operation) {
  const bool ignore = operation.ignores_nan();
  if (operation.out().is_float())
    return reduce_reals(operation, ignore ? kNan : kInfinity,
                        [&](double a, double b) { return min_with(a, b, ignore); });
  reduce_integers(operation, max_integer(operation.out().type.data),
                  [](std::int64_t a, std::int64_t b) { return std::min(a, b); });
}

void run_REDUCE_PRODUCT(Operation& operation) { reduce_reals(operation, 1, std::multiplies<double>()); }

void run_REDUCE_SUM(Operation& operation) {
  if (operation.out().is_float()) return reduce_reals(operation, 0, std::plus<double>());
  reduce_integers(operation, 0, std::plus<std::int64_t>());
}

// The first of equal maxima. A NaN that propagates stays the best, at its own index.
void run_ARGMAX(Operation& operation) {
  const Tensor& in = operation.in();
  std::vector<std::int64_t>& out = operation.out().integers;
  if (!in.is_float()) {
    std::vector<std::int64_t> best(out.size(), min_integer(in.type.data));
    return for_each_on_axis(operation, [&](std::size_t to, std::size_t from, std::int64_t k) {
      if (in.integers[from] <= best[to]) return;
      best[to] = in.integers[from];
      out[to] = k;
    });
  }
  const bool ignore = operation.ignores_nan();
  const double least = in.type.data == DataType::F8E4M3 ? -448 : -kInfinity;
  std::vector<double> best(out.size(), ignore ? kNan : least);
  for_each_on_axis(operation, [&](std::size_t to, std::size_t from, std::int64_t k) {
    const double larger = max_with(in.reals[from], best[to], ignore);
    if (larger == best[to] || (std::isnan(larger) && std::isnan(best[to]))) return;
    best[to] = larger;
    out[to] = k;
  });
}

}  // namespace slipway::reference
