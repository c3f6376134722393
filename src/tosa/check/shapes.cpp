// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tosa/check/shapes.hpp"

#include <algorithm>
#include <array>

#include "tosa/check/node_problem.hpp"
#include "tosa/check/shape_rules.hpp"

namespace slipway::tosa {

std::nullopt_t ShapeContext::error(DiagnosticKind kind, const std::string& text) {
  diagnostics_.add(node_problem(Severity::Error, kind, node_, text));
  return std::nullopt;
}

std::optional<std::int64_t> ShapeContext::equal(std::string_view what, std::initializer_list<std::int64_t> extents) {
  std::int64_t known = kDynamic;
  for (const std::int64_t extent : extents) {
    if (extent < 0) continue;
    if (known >= 0 && extent != known) return mismatch("{} is {} and {}; it has to be the same", what, known, extent);
    known = extent;
  }
  return known;
}

bool ShapeContext::at_least(std::string_view name, std::int64_t least) {
  for (const std::int64_t value : list(name)) {
    if (value >= least) continue;
    out_of_range("`{}` is {}; every value is at least {}", name, tensor::list_text(list(name)), least);
    return false;
  }
  return true;
}

std::optional<std::size_t> ShapeContext::axis(std::size_t of_input) {
  const std::int64_t axis = attributes().integer("axis"), rank = std::ssize(input(of_input));
  if (axis < 0 || axis >= rank) return out_of_range("axis {} is outside the rank {}", axis, rank);
  return static_cast<std::size_t>(axis);
}

std::optional<std::int64_t> ShapeContext::window(std::string_view dimension, std::int64_t in, std::int64_t before,
                                                 std::int64_t after, std::int64_t extent, std::int64_t stride) {
  if (in < 0 || extent < 0) return kDynamic;
  const std::int64_t span = in + before + after - extent;
  if (span < 0) {
    return mismatch("a window of {} does not fit into the {} of {} with padding {} and {}", extent, dimension, in,
                    before, after);
  }
  if (span % stride != 0) {
    return mismatch("steps of {} do not divide the {}: {} with padding {} and {}, less the window of {}, is {}", stride,
                    dimension, in, before, after, extent, span);
  }
  return span / stride + 1;
}

bool may_be_equal(tensor::ShapeView a, tensor::ShapeView b) {
  return std::ranges::equal(a, b, [](std::int64_t x, std::int64_t y) { return x < 0 || y < 0 || x == y; });
}

std::optional<std::vector<tensor::Shape>> result_shapes(const Graph& graph, const Node& node,
                                                        Diagnostics& diagnostics) {
  using Rule = Shapes (*)(ShapeContext&);
  static constexpr std::array kRules = {
#define OPERATOR(name, set, number, rule, operands, results, variables, types) static_cast<Rule>(shape_of_##rule),
#include "tosa/operators.def"
#undef OPERATOR
  };
  ShapeContext context(graph, node, diagnostics);
  Shapes shapes = kRules[static_cast<std::size_t>(node.op)](context);
  if (shapes && shapes->size() > node.outputs.size()) shapes->resize(node.outputs.size());  // MIN_SAD has no cost
  return shapes;
}

// --- elementwise and reductions ---

Shapes shape_of_same(ShapeContext& node) { return {{node.input(0)}}; }

Shapes shape_of_clamp(ShapeContext& node) {
  const double low = node.attributes().real("min_val"), high = node.attributes().real("max_val");
  if (low != low || high != high) return node.out_of_range("a limit is NaN");
  if (high < low) return node.out_of_range("max_val {} is below min_val {}", high, low);
  return shape_of_same(node);
}

Shapes shape_of_negate(ShapeContext& node) { return shape_of_same(node); }

Shapes shape_of_table(ShapeContext& node) {
  const std::int64_t wanted = node.input_type(0) == DataType::I8 ? 256 : 513;
  if (const std::int64_t size = node.input(1)[0]; size >= 0 && size != wanted)
    return node.mismatch("the table has {} entries; for {} it has {}", size, name_of(node.input_type(0)), wanted);
  return shape_of_same(node);
}

Shapes shape_of_broadcast(ShapeContext& node) {
  tensor::Shape shape = node.input(0);
  for (std::size_t i = 1; i < node.inputs(); ++i) {
    const tensor::Shape& other = node.input(i);
    if (other.size() != shape.size()) {
      return node.mismatch("inputs have the shapes {} and {}; ranks are not extended", tensor::shape_text(shape),
                           tensor::shape_text(other));
    }
    for (std::size_t d = 0; d < shape.size(); ++d) {
      if (shape[d] == 1) {
        shape[d] = other[d];
      } else if (other[d] != 1 && other[d] >= 0) {
        if (shape[d] >= 0 && shape[d] != other[d]) {
          return node.mismatch("the shapes {} and {} cannot be broadcast to one: dimension {} differs and is not 1",
                               tensor::shape_text(node.input(0)), tensor::shape_text(other), d);
        }
        shape[d] = other[d];
      }
    }
  }
  return {{std::move(shape)}};
}

Shapes shape_of_mul(ShapeContext& node) {
  const std::int64_t shift = node.attributes().integer("shift");
  if (shift < 0 || shift > 63) return node.out_of_range("shift {} is not in 0 to 63", shift);
  if (shift != 0 && node.input_type(0) != DataType::I32)
    return node.out_of_range("shift {} is for i32 alone, not for {}", shift, name_of(node.input_type(0)));
  return shape_of_broadcast(node);
}

Shapes shape_of_reduce(ShapeContext& node) {
  const auto axis = node.axis();
  if (!axis) return std::nullopt;
  tensor::Shape shape = node.input(0);
  shape[*axis] = 1;
  return {{std::move(shape)}};
}

Shapes shape_of_argmax(ShapeContext& node) {
  const auto axis = node.axis();
  if (!axis) return std::nullopt;
  tensor::Shape shape = node.input(0);
  shape.erase(shape.begin() + static_cast<std::ptrdiff_t>(*axis));
  return {{std::move(shape)}};
}

Shapes shape_of_cast(ShapeContext& node) {
  if (node.attributes().flag("input_unsigned") && !is_integer(node.input_type(0)))
    return node.out_of_range("input_unsigned is for integers, not for {}", name_of(node.input_type(0)));
  return shape_of_same(node);
}

namespace {

// The shape of the scales; empty after an error.
std::optional<tensor::Shape> scale_shape(ShapeContext& node, tensor::Shape data) {
  if (data.back() >= 0 && data.back() % kBlockSize != 0)
    return node.mismatch("the last dimension of {} is not a multiple of {}", tensor::shape_text(data), kBlockSize);
  if (data.back() >= 0) data.back() /= kBlockSize;
  return data;
}

}  // namespace

bool is_scale(ShapeContext& node, const tensor::Shape& data, const tensor::Shape& scale) {
  const auto wanted = scale_shape(node, data);
  if (!wanted) return false;
  if (may_be_equal(scale, *wanted)) return true;
  node.mismatch("the scale has the shape {}; that of data {} is {}", tensor::shape_text(scale),
                tensor::shape_text(data), tensor::shape_text(*wanted));
  return false;
}

Shapes shape_of_cast_from_block_scaled(ShapeContext& node) {
  if (!is_scale(node, node.input(0), node.input(1))) return std::nullopt;
  return shape_of_same(node);
}

Shapes shape_of_cast_to_block_scaled(ShapeContext& node) {
  const auto scale = scale_shape(node, node.input(0));
  if (!scale) return std::nullopt;
  return {{node.input(0), *scale}};
}

Shapes shape_of_rescale(ShapeContext& node) {
  const Attributes& attributes = node.attributes();
  const bool per_channel = attributes.flag("per_channel");
  if (per_channel && node.input(0).empty())
    return node.out_of_range("per_channel needs a last dimension, and the rank is 0");
  const std::int64_t channels = per_channel ? node.input(0).back() : 1;
  for (const std::size_t operand : {1u, 2u}) {
    const std::int64_t size = node.input(operand)[0];
    if (size >= 0 && channels >= 0 && size != channels)
      return node.mismatch("`{}` has {} values instead of {}", operand == 1 ? "multiplier" : "shift", size, channels);
  }
  if (attributes.enumerant<RoundingMode>("rounding_mode") == RoundingMode::DoubleRound && !attributes.flag("scale32"))
    return node.out_of_range("DOUBLE_ROUND needs scale32");
  if (attributes.flag("scale32") && node.input_type(0) == DataType::I48)
    return node.out_of_range("scale32 is not for i48");
  if (attributes.flag("scale32") && node.input_type(1) != DataType::I32)
    return node.out_of_range("with scale32 the multiplier is i32, not {}", name_of(node.input_type(1)));
  return shape_of_same(node);
}

}  // namespace slipway::tosa
