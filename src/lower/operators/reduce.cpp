// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reductions along one axis, and ARGMAX (docs/spec/tosa.md#reductions, docs/spec/tosa.md#argmax).
#include "lower/operators/reduce.hpp"

namespace slipway::lower {

using tosa::DataType;
using tosa::Op;

bool is_reduction(Op op) { return (op >= Op::REDUCE_ALL && op <= Op::REDUCE_SUM) || op == Op::ARGMAX; }

namespace {

// A fold whose state is one value.
Fold simple_fold(Value start, const std::function<Value(Value, Value)>& join) {
  return {{start},
          [join](const FoldState& some, const FoldState& more, bool) -> FoldState { return {join(some[0], more[0])}; }};
}

// The first of equal maxima. A NaN that propagates stays the best, at its own index.
FoldState better_of(Kernel& k, const FoldState& some, const FoldState& more, bool ignore_nan, bool in_order) {
  const Value earlier = in_order ? k.boolean(false) : more[1] < some[1];
  Value better = (more[0] > some[0]) | ((more[0] == some[0]) & earlier);
  if (more[0].type() == Scalar::Float) {
    const Value some_nan = is_nan(k, some[0]), more_nan = is_nan(k, more[0]);
    better =
        ignore_nan ? ((some_nan & !more_nan) | better) : ((more_nan & (earlier | !some_nan)) | (better & !some_nan));
  }
  return {k.select(better, more[0], some[0]), k.select(better, more[1], some[1])};
}

}  // namespace

Fold fold_of(Kernel& k, const tosa::Graph& graph, const tosa::Node& node) {
  const DataType type = graph[node.inputs[0]].type.data;
  const bool is_float = tosa::is_float(type),
             ignore = node.attributes.enumerant<tosa::NanMode>("nan_mode") == tosa::NanMode::Ignore;
  // Where NaN is ignored, it is the neutral element.
  const auto start = [&](Value (*otherwise)(Kernel&, DataType)) {
    return is_float && ignore ? nan_of(k) : otherwise(k, type);
  };
  switch (node.op) {
    case Op::REDUCE_ALL:
      return simple_fold(k.boolean(true), [](Value a, Value b) { return a & b; });
    case Op::REDUCE_ANY:
      return simple_fold(k.boolean(false), [](Value a, Value b) { return a | b; });
    case Op::REDUCE_MAX:
      return simple_fold(start(min_value), [&k, ignore](Value a, Value b) { return max_with(k, a, b, ignore); });
    case Op::REDUCE_MIN:
      return simple_fold(start(max_value), [&k, ignore](Value a, Value b) { return min_with(k, a, b, ignore); });
    case Op::REDUCE_PRODUCT:
      return simple_fold(k.real(1), [](Value a, Value b) { return a * b; });
    case Op::REDUCE_SUM:
      return simple_fold(is_float ? k.real(0) : k.integer(0), [](Value a, Value b) { return a + b; });
    default:
      return {{start(min_value), k.integer(0)},
              [&k, ignore](const FoldState& some, const FoldState& more, bool in_order) {
                return better_of(k, some, more, ignore, in_order);
              }};
  }
}

namespace {

// Calls `use(i, x)` for the elements x of an axis, in order. GPUs read several before they use the first, which hides
// memory latency.
void for_each_along(Operation& operation, const std::function<Value(Value)>& read,
                    const std::function<void(Value, Value)>& use) {
  constexpr std::int64_t kAtOnce = 16;
  Kernel& k = operation.kernel;
  const std::int64_t count = operation.in_shape()[static_cast<std::size_t>(operation.integer("axis"))];
  const std::int64_t at_once = k.is_for_gpu() ? kAtOnce : 1, whole = count / at_once;
  const auto some = [&](Value first, std::int64_t length) {
    std::vector<Value> read_ahead;
    for (std::int64_t i = 0; i < length; ++i) read_ahead.push_back(read(first + i));
    for (std::int64_t i = 0; i < length; ++i) use(first + i, read_ahead[static_cast<std::size_t>(i)]);
  };
  k.loop(k.integer(whole), [&](Value i) { some(i * at_once, at_once); });
  some(k.integer(whole * at_once), count - whole * at_once);
}

// One invocation processes the whole axis.
Value reduce(Operation& operation, const Coordinates& at) {
  Kernel& k = operation.kernel;
  const Fold fold = fold_of(k, operation.graph, operation.node);
  const auto axis = static_cast<std::size_t>(operation.integer("axis"));
  std::vector<Variable> state;
  for (const Value& start : fold.start) state.push_back(k.variable(start));
  const auto read = [&](Value i) {
    Coordinates from = at;
    if (operation.node.op == Op::ARGMAX)
      from.insert(from.begin() + static_cast<std::ptrdiff_t>(axis), i);
    else
      from[axis] = i;
    return operation.in(0, from);
  };
  for_each_along(operation, read, [&](Value i, Value x) {
    FoldState so_far;
    for (const Variable& variable : state) so_far.push_back(k.get(variable));
    const FoldState joined = fold.join(so_far, fold.of(i, x), true);
    for (std::size_t n = 0; n < state.size(); ++n) k.set(state[n], joined[n]);
  });
  return k.get(state.back());
}

}  // namespace

#define REDUCTION(NAME) \
  Value emit_##NAME(Operation& operation, const Coordinates& at, std::size_t) { return reduce(operation, at); }
REDUCTION(REDUCE_ALL)
REDUCTION(REDUCE_ANY)
REDUCTION(REDUCE_MAX)
REDUCTION(REDUCE_MIN)
REDUCTION(REDUCE_PRODUCT)
REDUCTION(REDUCE_SUM)
REDUCTION(ARGMAX)
#undef REDUCTION

}  // namespace slipway::lower
