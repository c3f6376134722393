// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tosa/check/bound_shapes.hpp"

#include <algorithm>

#include "base/format.hpp"
#include "tosa/check/shapes.hpp"
#include "tosa/check/verify.hpp"

namespace slipway::tosa {
namespace {

// A module stores rank 0 as one element.
tensor::Shape in_module(tensor::Shape shape) { return shape.empty() ? tensor::Shape{1} : std::move(shape); }

bool is_static(tensor::ShapeView shape) {
  return std::ranges::all_of(shape, [](std::int64_t extent) { return extent >= 0; });
}

bool have_equal_counts(tensor::ShapeView a, tensor::ShapeView b) {
  return is_static(a) && is_static(b) && tensor::element_count(a) == tensor::element_count(b);
}

}  // namespace

bool bind_shape(Graph& graph, ValueId value, tensor::Shape bound, std::string_view what, const SourceLocation& location,
                Diagnostics& diagnostics) {
  bound = in_module(std::move(bound));
  tensor::Shape& declared = graph[value].type.shape;
  if (may_be_equal(declared, bound)) {
    for (std::size_t d = 0; d < declared.size(); ++d) {
      if (declared[d] < 0) declared[d] = bound[d] < 0 ? kDynamic : bound[d];
    }
    return true;
  }
  const std::string difference = formatted("{} has the shape {} in the module, and the tensor that is bound to it {}",
                                           what, tensor::shape_text(declared), tensor::shape_text(bound));
  if (declared.size() == bound.size()) {
    diagnostics.rule(DiagnosticKind::ShapeMismatch, location, difference + ", which is taken");
    for (std::size_t d = 0; d < declared.size(); ++d) declared[d] = bound[d] < 0 ? kDynamic : bound[d];
    for (Value& other : graph.values) {
      if (other.kind == ValueKind::Result) std::ranges::fill(other.type.shape, kDynamic);
    }
    return true;
  }
  if (have_equal_counts(declared, bound)) {
    diagnostics.rule(DiagnosticKind::ShapeMismatch, location, difference + "; its elements are taken in their order");
    return true;
  }
  diagnostics.error(DiagnosticKind::ShapeMismatch, location, difference);
  return false;
}

std::optional<Graph> with_bound_shapes(Graph graph, std::span<const tensor::Shape> inputs, Diagnostics& diagnostics) {
  const std::size_t before = diagnostics.errors();
  std::vector<tensor::Shape> shapes;
  for (std::size_t i = 0; i < graph.inputs.size(); ++i) {
    bind_shape(graph, graph.inputs[i], inputs[i], formatted("input {} of graph `{}`", i, graph.name), {}, diagnostics);
    shapes.push_back(graph[graph.inputs[i]].type.shape);
  }
  if (diagnostics.errors() != before) return std::nullopt;
  return with_input_shapes(graph, shapes, diagnostics);
}

bool takes_output(const Graph& graph, std::size_t output, tensor::Shape bound, Diagnostics& diagnostics) {
  const tensor::Shape made = in_module(graph[graph.outputs[output]].type.shape);
  bound = in_module(std::move(bound));
  if (made == bound) return true;
  const std::string difference = formatted("output {} of graph `{}` has the shape {}, and what is bound to it {}",
                                           output, graph.name, tensor::shape_text(made), tensor::shape_text(bound));
  if (have_equal_counts(made, bound)) {
    diagnostics.rule(DiagnosticKind::ShapeMismatch, {}, difference + ", which has as many elements");
    return true;
  }
  diagnostics.error(DiagnosticKind::ShapeMismatch, {}, difference);
  return false;
}

}  // namespace slipway::tosa
