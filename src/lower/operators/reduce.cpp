// Reductions along one axis, and ARGMAX (TOSA page 5.1, 5.6).
#include "lower/operators/operation.hpp"

namespace slipway::lower {

using tosa::DataType;

namespace {

// Calls `use(i, x)` for the elements x of an axis, in order. GPUs read several before they use the first: reading is
// what takes long.
void for_each_along(Operation& operation, const std::function<Value(Value)>& read,
                    const std::function<void(Value, Value)>& use) {
  constexpr std::int64_t kAtOnce = 16;
  Kernel& k = operation.kernel;
  const std::int64_t count = operation.in_shape()[static_cast<std::size_t>(operation.integer("axis"))];
  const std::int64_t at_once = k.is_for_gpus() ? kAtOnce : 1, whole = count / at_once;
  const auto some = [&](Value first, std::int64_t length) {
    std::vector<Value> read_ahead;
    for (std::int64_t i = 0; i < length; ++i) read_ahead.push_back(read(first + i));
    for (std::int64_t i = 0; i < length; ++i) use(first + i, read_ahead[static_cast<std::size_t>(i)]);
  };
  k.loop(k.integer(whole), [&](Value i) { some(i * at_once, at_once); });
  some(k.integer(whole * at_once), count - whole * at_once);
}

// Folds the axis from a start value; `fold(so far, element)`.
Value reduce(Operation& operation, const Coordinates& at, Value start, const std::function<Value(Value, Value)>& fold) {
  Kernel& k = operation.kernel;
  const auto axis = static_cast<std::size_t>(operation.integer("axis"));
  const Variable result = k.variable(start);
  const auto read = [&](Value i) {
    Coordinates from = at;
    from[axis] = i;
    return operation.in(0, from);
  };
  for_each_along(operation, read, [&](Value, Value x) { k.set(result, fold(k.get(result), x)); });
  return k.get(result);
}

Value start_of_extreme(Operation& operation, bool largest) {
  Kernel& k = operation.kernel;
  if (tosa::is_float(operation.out_type()) && operation.ignores_nan()) return nan_of(k);
  return largest ? least_of(k, operation.out_type()) : greatest_of(k, operation.out_type());
}

}  // namespace

Value emit_REDUCE_ALL(Operation& operation, const Coordinates& at, std::size_t) {
  return reduce(operation, at, operation.kernel.boolean(true), [](Value a, Value b) { return a & b; });
}
Value emit_REDUCE_ANY(Operation& operation, const Coordinates& at, std::size_t) {
  return reduce(operation, at, operation.kernel.boolean(false), [](Value a, Value b) { return a | b; });
}
Value emit_REDUCE_MAX(Operation& operation, const Coordinates& at, std::size_t) {
  return reduce(operation, at, start_of_extreme(operation, true),
                [&](Value a, Value b) { return max_with(operation.kernel, a, b, operation.ignores_nan()); });
}
Value emit_REDUCE_MIN(Operation& operation, const Coordinates& at, std::size_t) {
  return reduce(operation, at, start_of_extreme(operation, false),
                [&](Value a, Value b) { return min_with(operation.kernel, a, b, operation.ignores_nan()); });
}
Value emit_REDUCE_PRODUCT(Operation& operation, const Coordinates& at, std::size_t) {
  return reduce(operation, at, operation.kernel.real(1), [](Value a, Value b) { return a * b; });
}
Value emit_REDUCE_SUM(Operation& operation, const Coordinates& at, std::size_t) {
  Kernel& k = operation.kernel;
  const Value start = tosa::is_float(operation.out_type()) ? k.real(0) : k.integer(0);
  return reduce(operation, at, start, [](Value a, Value b) { return a + b; });
}

// The first of equal maxima. A NaN that is passed on stays the best, at its own place.
Value emit_ARGMAX(Operation& operation, const Coordinates& at, std::size_t) {
  Kernel& k = operation.kernel;
  const DataType type = operation.in_type();
  const bool is_float = tosa::is_float(type), ignore = operation.ignores_nan();
  const auto axis = static_cast<std::size_t>(operation.integer("axis"));
  const Variable best = k.variable(is_float && ignore ? nan_of(k) : least_of(k, type)),
                 where = k.variable(k.integer(0));
  const auto read = [&](Value i) {
    Coordinates from = at;
    from.insert(from.begin() + static_cast<std::ptrdiff_t>(axis), i);
    return operation.in(0, from);
  };
  for_each_along(operation, read, [&](Value i, Value x) {
    const Value so_far = k.get(best);
    Value better = x > so_far;
    if (is_float) {
      const Value x_nan = is_nan(k, x), best_nan = is_nan(k, so_far);
      better = ignore ? ((best_nan & !x_nan) | better) : ((x_nan & !best_nan) | (better & !best_nan));
    }
    k.set(best, k.select(better, x, so_far));
    k.set(where, k.select(better, i, k.get(where)));
  });
  return k.get(where);
}

}  // namespace slipway::lower
