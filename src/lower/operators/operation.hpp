// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Operators in kernels: one element of a result, at coordinates.
//
// Each operator NAME is a function `emit_NAME(Operation&, coordinates, result)` that returns one element of one of its
// results, computed from elements of its inputs. Whether an input is loaded or computed on the way is hidden from it.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "lower/kernel/kernel.hpp"
#include "lower/kernel/small_floats.hpp"
#include "tosa/graph.hpp"

namespace slipway::lower {

using Coordinates = std::vector<Value>;  // one int for each dimension, inside the shape

// Access to elements of values; the implementation is KernelBuilder.
class Elements {
 public:
  virtual ~Elements() = default;
  virtual Value at(tosa::ValueId value, const Coordinates& coordinates) = 0;
};

struct Operation {
  Kernel& kernel;
  const tosa::Graph& graph;
  const tosa::Node& node;
  Elements& elements;

  Value in(std::size_t input, const Coordinates& coordinates) { return elements.at(node.inputs[input], coordinates); }
  const tensor::Shape& in_shape(std::size_t input = 0) const { return graph[node.inputs[input]].type.shape; }
  const tensor::Shape& out_shape(std::size_t result = 0) const { return graph[node.outputs[result]].type.shape; }
  tosa::DataType in_type(std::size_t input = 0) const { return graph[node.inputs[input]].type.data; }
  tosa::DataType out_type(std::size_t result = 0) const { return graph[node.outputs[result]].type.data; }
  std::int64_t integer(std::string_view name) const { return node.attributes.integer(name); }
  bool flag(std::string_view name) const { return node.attributes.flag(name); }
  double real(std::string_view name) const { return node.attributes.real(name); }
  std::span<const std::int64_t> list(std::string_view name) const { return node.attributes.list(name); }
  bool ignores_nan() const { return node.attributes.enumerant<tosa::NanMode>("nan_mode") == tosa::NanMode::Ignore; }
};

#define OPERATOR(name, set, number, rule, operands, results, variables, types) \
  Value emit_##name(Operation& operation, const Coordinates& at, std::size_t result);
#include "tosa/operators.def"
#undef OPERATOR

// The coordinates of a row-major index.
Coordinates coordinates_of(Kernel& kernel, const tensor::Shape& shape, Value index);

// The coordinates at which an operand of this shape is read: its dimensions of 1 are broadcast.
Coordinates broadcast(Kernel& kernel, const tensor::Shape& shape, const Coordinates& at);

// The type in which kernels compute with values of a type: bool, int, long (i48) or float.
Scalar scalar_of(tosa::DataType type);

// A NaN propagates, or is ignored: it loses against any other value (docs/spec/tosa.md#floats-and-nan).
Value max_with(Kernel& kernel, Value a, Value b, bool ignore_nan);
Value min_with(Kernel& kernel, Value a, Value b, bool ignore_nan);
// The smallest value of a type: minus infinity for floats that have it (e4m3: the smallest finite value).
Value min_value(Kernel& kernel, tosa::DataType type);
Value max_value(Kernel& kernel, tosa::DataType type);
Value nan_of(Kernel& kernel);
// Whether all shifts of a RESCALE are known to be so large that 32 bits are enough to compute it. Its kernel depends on
// that.
bool shifts_far(const tosa::Graph& graph, const tosa::Node& node);
// Parts of operators that move a window: a sum of products with the bias of the operator, the initial maximum, and the
// mean of the elements that a window at some coordinates has inside the image.
Value with_bias(Operation& operation, Value sum, Value channel);
Value start_of_max_pool(Kernel& kernel, tosa::DataType type, bool ignore_nan);
Value mean_of_pool(Operation& operation, const Coordinates& at, Value sum);
// An int or long, clamped to the values of an integer type.
Value saturated(Kernel& kernel, tosa::DataType type, Value value);
// value * multiplier * 2^-shift, rounded to nearest, ties up, as a long
// (docs/spec/tosa.md#scaling-helpers). `value` is a long.
Value scaled(Kernel& kernel, Value value, Value multiplier, Value shift, bool double_round);

}  // namespace slipway::lower
