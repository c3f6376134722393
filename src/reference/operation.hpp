// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Common parts of the operators of the interpreter. Each operator NAME is a function `run_NAME`, which fills results
// whose type and size are set. Reals are stored unrounded, integers within the range of their type.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <span>

#include "base/format.hpp"
#include "base/interrupt.hpp"
#include "reference/tensor.hpp"
#include "tosa/graph.hpp"

namespace slipway::reference {

using tosa::NanMode;
using tosa::Op;

// Thrown by `go_on`; `stoppable` returns it as a failure.
struct StoppedWork {
  StopReason reason;
};
// Ends the operator if the work has to end. Loops call it before what takes longer than the question.
inline void go_on() {
  if (const StopReason reason = stop_reason(); reason != StopReason::None) throw StoppedWork{reason};
}
// The same for loops whose rounds take some steps each, such as additions: asks after some milliseconds of them.
inline void go_on_after(std::int64_t steps) {
  constexpr std::int64_t kSteps = 1 << 20;
  thread_local std::int64_t done = 0;
  if ((done += steps) < kSteps) return;
  done = 0;
  go_on();
}
// The same for loops over the elements of a tensor.
inline void go_on_at(std::size_t element) {
  constexpr std::size_t kElements = 1 << 16;
  if (element % kElements == 0) go_on();
}

// Calls a function that works for a node.
template <class Work>
Result<> stoppable(const tosa::Node& node, Work&& work) {
  try {
    work();
    return {};
  } catch (const StoppedWork& stopped_work) {
    Diagnostic problem = stopped(stopped_work.reason, formatted("the operator {}", name_of(node.op)));
    problem.location = node.location;
    return fail(std::move(problem));
  }
}

struct Operation {
  const tosa::Node& node;
  std::span<const Tensor* const> inputs;
  std::span<Tensor> results;

  const Tensor& in(std::size_t i = 0) const { return *inputs[i]; }
  Tensor& out(std::size_t i = 0) const { return results[i]; }
  std::int64_t integer(std::string_view name) const { return node.attributes.integer(name); }
  bool flag(std::string_view name) const { return node.attributes.flag(name); }
  double real(std::string_view name) const { return node.attributes.real(name); }
  std::span<const std::int64_t> list(std::string_view name) const { return node.attributes.list(name); }
  bool ignores_nan() const { return node.attributes.enumerant<NanMode>("nan_mode") == NanMode::Ignore; }
};

#define OPERATOR(name, set, number, rule, operands, results, variables, types) void run_##name(Operation& operation);
#include "tosa/operators.def"
#undef OPERATOR

inline constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
inline constexpr double kInfinity = std::numeric_limits<double>::infinity();

// A NaN propagates, or is ignored: it loses against any other value (docs/spec/tosa.md#floats-and-nan).
inline double max_with(double a, double b, bool ignore_nan) {
  if (std::isnan(a) || std::isnan(b)) return !ignore_nan ? kNan : std::isnan(a) ? b : a;
  return a >= b ? a : b;
}
inline double min_with(double a, double b, bool ignore_nan) {
  if (std::isnan(a) || std::isnan(b)) return !ignore_nan ? kNan : std::isnan(a) ? b : a;
  return a < b ? a : b;
}

// Row-major strides of a shape.
inline std::vector<std::int64_t> strides_of(const tensor::Shape& shape) {
  std::vector<std::int64_t> strides(shape.size(), 1);
  for (std::size_t d = shape.size(); d-- > 1;) strides[d - 1] = strides[d] * shape[d];
  return strides;
}

// Calls `use(output index, source index)` for every element of a shape in order. The source index starts at `start` and
// has its own stride in each dimension (0: broadcast; negative: backwards).
template <class Use>
void for_each_strided(const tensor::Shape& shape, const std::vector<std::int64_t>& strides, std::int64_t start,
                      Use&& use) {
  std::vector<std::int64_t> at(shape.size(), 0);
  std::int64_t source = start, output = 0;
  for (;;) {
    go_on_at(static_cast<std::size_t>(output));
    use(static_cast<std::size_t>(output++), static_cast<std::size_t>(source));
    std::size_t d = shape.size();
    for (; d-- > 0;) {
      source += strides[d];
      if (++at[d] < shape[d]) break;
      source -= strides[d] * shape[d];
      at[d] = 0;
    }
    if (d == static_cast<std::size_t>(-1)) return;
  }
}

// The source strides of a tensor whose dimensions of 1 are broadcast to `shape`.
inline std::vector<std::int64_t> broadcast_strides(const tensor::Shape& from, const tensor::Shape& shape) {
  std::vector<std::int64_t> strides = strides_of(from);
  for (std::size_t d = 0; d < shape.size(); ++d) {
    if (from[d] == 1) strides[d] = 0;
  }
  return strides;
}

// Calls `copy(to, from)` for the vector that a tensor uses: layout operators treat elements of all types alike.
template <class Copy>
void with_elements(Tensor& to, const Tensor& from, Copy&& copy) {
  if (to.is_float())
    copy(to.reals, from.reals);
  else
    copy(to.integers, from.integers);
}

}  // namespace slipway::reference
