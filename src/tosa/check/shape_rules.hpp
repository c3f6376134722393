// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the shape rules share. Each rule is a function `shape_of_NAME`, NAME as in operators.def.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "base/diagnostic.hpp"
#include "base/format.hpp"
#include "tosa/graph.hpp"

namespace slipway::tosa {

using Shapes = std::optional<std::vector<tensor::Shape>>;

// The node that is being checked. All extents and attributes are below 2^31 in magnitude, so sums and products of two
// fit in 64 bits.
class ShapeContext {
 public:
  ShapeContext(const Graph& graph, const Node& node, Diagnostics& diagnostics)
      : graph_(graph), node_(node), diagnostics_(diagnostics) {}

  std::size_t inputs() const { return node_.inputs.size(); }
  const tensor::Shape& input(std::size_t i) const { return graph_[node_.inputs[i]].type.shape; }
  DataType input_type(std::size_t i) const { return graph_[node_.inputs[i]].type.data; }
  DataType output_type(std::size_t i) const { return graph_[node_.outputs[i]].type.data; }
  const Attributes& attributes() const { return node_.attributes; }
  std::span<const std::int64_t> list(std::string_view name) const { return node_.attributes.list(name); }

  template <class... Values>
  std::nullopt_t out_of_range(std::format_string<Values...> text, Values&&... values) {
    return error(DiagnosticKind::OutOfRange, formatted(text, std::forward<Values>(values)...));
  }
  template <class... Values>
  std::nullopt_t mismatch(std::format_string<Values...> text, Values&&... values) {
    return error(DiagnosticKind::ShapeMismatch, formatted(text, std::forward<Values>(values)...));
  }

  // The common extent of dimensions that must be equal; empty after an error.
  std::optional<std::int64_t> equal(std::string_view what, std::initializer_list<std::int64_t> extents);
  // Checks that all elements of a list are at least `min`.
  bool at_least(std::string_view name, std::int64_t least);
  // The axis attribute, checked against the rank of an input.
  std::optional<std::size_t> axis(std::size_t of_input = 0);
  // How many steps of `stride` a window of `extent` makes over a padded dimension (`div`: the division is exact).
  std::optional<std::int64_t> window(std::string_view dimension, std::int64_t input, std::int64_t before,
                                     std::int64_t after, std::int64_t extent, std::int64_t stride);

 private:
  std::nullopt_t error(DiagnosticKind kind, const std::string& text);

  const Graph& graph_;
  const Node& node_;
  Diagnostics& diagnostics_;
};

// The product of two extents, dynamic if one is.
constexpr std::int64_t times(std::int64_t a, std::int64_t b) { return a < 0 || b < 0 ? kDynamic : a * b; }

// Whether a scale has the shape of its data, with one element for each block of the last dimension.
bool is_scale(ShapeContext& node, const tensor::Shape& data, const tensor::Shape& scale);

#define OPERATOR(name, set, number, rule, operands, results, variables, types) \
  Shapes shape_of_##rule(ShapeContext& node);
#include "tosa/operators.def"
#undef OPERATOR

}  // namespace slipway::tosa
