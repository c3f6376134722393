// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "model/standalone/compare.hpp"

#include <algorithm>
#include <cmath>

#include "base/format.hpp"
#include "reference/bounds.hpp"
#include "tensor/element.hpp"

namespace slipway::model {
namespace {

using reference::NodeResults;
using reference::Tensor;

double max_value(std::span<const double> values) {
  double largest = 0;
  for (const double value : values) {
    if (std::isfinite(value)) largest = std::max(largest, std::fabs(value));
  }
  return largest;
}

// A value of the interpreter, with the error that a device may have.
struct Known {
  Tensor value;
  std::vector<double> unrounded, bounds;  // of floats that an operator computed
  double carried = 0;                     // error of the operators before it, relative to the largest element
  double carried_size = 0;                // the same in units of the elements
  double allowed = 0;                     // including this operator
  bool is_cast = false;
};

class Comparer {
 public:
  // `flush`: operators take subnormal operands for zeros, as devices may.
  explicit Comparer(const tosa::Graph& graph, bool flush = false)
      : graph_(graph), flush_(flush), known_(graph.values.size()) {}

  Result<> run(std::vector<Tensor> inputs) {
    for (std::size_t i = 0; i < graph_.inputs.size(); ++i) at(graph_.inputs[i]).value = std::move(inputs[i]);
    for (const tosa::Constant& constant : graph_.constants)
      at(constant.value).value = Tensor::from_bytes(graph_[constant.value].type, constant.data, constant.splat);
    std::vector<std::size_t> last_use(graph_.values.size(), 0);
    for (std::size_t i = 0; i < graph_.nodes.size(); ++i) {
      for (const tosa::ValueId input : graph_.nodes[i].inputs) last_use[index(input)] = i;
    }
    for (const tosa::ValueId output : graph_.outputs) last_use[index(output)] = graph_.nodes.size();
    for (std::size_t i = 0; i < graph_.nodes.size(); ++i) {
      if (Result<> done = node(graph_.nodes[i]); !done) return done;
      for (const tosa::ValueId input : graph_.nodes[i].inputs) {
        if (last_use[index(input)] == i) at(input) = {};
      }
    }
    return {};
  }

  const Tensor& value(tosa::ValueId of) { return at(of).value; }
  bool met_subnormals() const { return met_subnormals_; }

  // `other`: the results of another device, which take the place of the interpreter's; null: none. `also`: another
  // comparer, whose values are as right; null: none.
  ValueComparison compare(tosa::ValueId output, const Tensor& got, const Tensor* other = nullptr,
                          Comparer* also = nullptr) {
    const Known& known = at(output);
    ValueComparison comparison{.type = graph_[output].type, .elements = known.value.size()};
    for (std::size_t i = 0; i < known.value.size(); ++i) {
      if (!also || !also->accepts(output, got, i)) compare_element(known, i, got, other, comparison);
    }
    return comparison;
  }

 private:
  Known& at(tosa::ValueId value) { return known_[index(value)]; }

  bool accepts(tosa::ValueId output, const Tensor& got, std::size_t i) {
    ValueComparison comparison;
    compare_element(at(output), i, got, nullptr, comparison);
    return comparison.passed();
  }

  Result<> node(const tosa::Node& node) {
    std::vector<const Tensor*> operands;
    std::vector<Tensor> flushed;
    flushed.reserve(node.inputs.size());
    double carried = 0;
    for (const tosa::ValueId input : node.inputs) {
      const Tensor& value = at(input).value;
      const auto is_small = [&](double real) { return reference::may_flush(value.type.data, real); };
      met_subnormals_ = met_subnormals_ || std::ranges::any_of(value.reals, is_small);
      operands.push_back(&value);
      if (flush_) {
        operands.back() = &flushed.emplace_back(value);
        for (double& real : flushed.back().reals) real = is_small(real) ? std::copysign(0, real) : real;
      }
      carried = std::max(carried, at(input).allowed);
    }
    Result<NodeResults> made = reference::run_node(graph_, node, operands);
    if (!made) return fail(std::move(made.error()));
    SLIPWAY_TRY(std::vector<std::vector<double>> bounds, reference::bounds(graph_, node, operands, *made));
    for (std::size_t k = 0; k < node.outputs.size(); ++k) {
      Known& result = at(node.outputs[k]);
      result.carried = carried;
      result.is_cast = node.op == tosa::Op::CAST;
      const double size = max_value(made->values[k].reals), bound = k < bounds.size() ? max_value(bounds[k]) : 0;
      result.carried_size = carried * size;
      result.allowed = carried + (size > 0 ? bound / size : 0);
      result.value = std::move(made->values[k]);
      if (k < bounds.size()) result.bounds = std::move(bounds[k]);
      if (k < made->unrounded.size()) result.unrounded = std::move(made->unrounded[k]);
    }
    return {};
  }

  static void compare_element(const Known& known, std::size_t i, const Tensor& got, const Tensor* other,
                              ValueComparison& comparison) {
    if (known.value.is_float())
      compare_real(known, i, got.reals[i], other ? &other->reals[i] : nullptr, comparison);
    else
      compare_integer(known, i, got.integers[i], other ? &other->integers[i] : nullptr, comparison);
  }

  static void compare_real(const Known& known, std::size_t i, double got, const double* other,
                           ValueComparison& comparison) {
    const double wanted = other ? *other : known.value.reals[i];
    if (got == wanted || (std::isnan(got) && std::isnan(wanted))) return;
    ++comparison.different;
    const double own = (i < known.bounds.size() ? known.bounds[i] : 0) + known.carried_size;
    const double bound = other ? 2 * own : own;
    // Exact results are compared with the rounded value.
    const double exact = other || bound == 0 || i >= known.unrounded.size() ? wanted : known.unrounded[i];
    const bool accepted = reference::accepts(known.value.type.data, got, exact, bound);
    note(comparison, i, got, wanted, bound, accepted, std::fabs(got - exact));
  }

  // A value that is converted from a float with an error may round the other way.
  static void compare_integer(const Known& known, std::size_t i, std::int64_t got, const std::int64_t* other,
                              ValueComparison& comparison) {
    const std::int64_t wanted = other ? *other : known.value.integers[i];
    if (got == wanted) return;
    ++comparison.different;
    const auto reference = static_cast<double>(wanted);
    const double difference = std::fabs(static_cast<double>(got) - reference);
    const double own = known.is_cast && known.carried > 0 ? 1 + known.carried * std::fabs(reference) : 0;
    const double allowed = other ? 2 * own : own;
    note(comparison, i, static_cast<double>(got), reference, allowed, difference <= allowed && allowed > 0, difference);
  }

  static void note(ValueComparison& comparison, std::size_t i, double got, double wanted, double allowed, bool accepted,
                   double difference) {
    if (!accepted) ++comparison.wrong;
    if (std::isnan(difference)) difference = HUGE_VAL;
    comparison.max_difference = std::max(comparison.max_difference, difference);
    double of_allowed = allowed > 0 ? difference / allowed : HUGE_VAL;
    // Infinite values may be right.
    if (accepted && !(of_allowed <= 1)) of_allowed = 1;
    if (comparison.different > 1 && of_allowed <= comparison.max_of_allowed) return;
    comparison.max_of_allowed = of_allowed;
    comparison.worst = i;
    comparison.got = got;
    comparison.wanted = wanted;
    comparison.allowed = allowed;
  }

  const tosa::Graph& graph_;
  bool flush_, met_subnormals_ = false;
  std::vector<Known> known_;  // by value
};

}  // namespace

Result<std::vector<ValueComparison>> compare_with_reference(const tosa::Graph& graph, std::vector<Tensor> inputs,
                                                            std::span<const Tensor> outputs,
                                                            std::vector<Tensor>* wanted) {
  Comparer comparer(graph);
  if (Result<> done = comparer.run(inputs); !done) return fail(std::move(done.error()));
  std::vector<ValueComparison> comparisons;
  for (std::size_t i = 0; i < graph.outputs.size(); ++i)
    comparisons.push_back(comparer.compare(graph.outputs[i], outputs[i]));
  if (comparer.met_subnormals() && !std::ranges::all_of(comparisons, &ValueComparison::passed)) {
    Comparer flushing(graph, true);
    if (Result<> done = flushing.run(std::move(inputs)); !done) return fail(std::move(done.error()));
    for (std::size_t i = 0; i < graph.outputs.size(); ++i)
      comparisons[i] = comparer.compare(graph.outputs[i], outputs[i], nullptr, &flushing);
  }
  for (std::size_t i = 0; wanted && i < graph.outputs.size(); ++i) wanted->push_back(comparer.value(graph.outputs[i]));
  return comparisons;
}

Result<std::vector<DeviceComparison>> compare_devices(const tosa::Graph& graph, std::vector<Tensor> inputs,
                                                      std::span<const Tensor> first, std::span<const Tensor> second) {
  Comparer comparer(graph);
  if (Result<> done = comparer.run(std::move(inputs)); !done) return fail(std::move(done.error()));
  std::vector<DeviceComparison> comparisons;
  for (std::size_t i = 0; i < graph.outputs.size(); ++i) {
    comparisons.push_back({.between = comparer.compare(graph.outputs[i], first[i], &second[i]),
                           .first_wrong = comparer.compare(graph.outputs[i], first[i]).wrong,
                           .second_wrong = comparer.compare(graph.outputs[i], second[i]).wrong});
  }
  return comparisons;
}

std::string comparison_text(const ValueComparison& comparison) {
  const std::string elements = formatted("{} element{}", comparison.elements, comparison.elements == 1 ? "" : "s");
  if (comparison.different == 0) return formatted("ok ({}, all equal)", elements);
  if (comparison.passed()) {
    return formatted("ok ({}, max difference {}, at most {:.2g} of what is allowed)", elements,
                     tensor::shortest_text(comparison.max_difference), comparison.max_of_allowed);
  }
  return formatted("FAILED {} of {} differ; {} is {} instead of {} (allowed {})", comparison.wrong, elements,
                   tensor::shape_text(tensor::coordinates_of(comparison.type.shape, comparison.worst)),
                   tensor::shortest_text(comparison.got), tensor::shortest_text(comparison.wanted),
                   tensor::shortest_text(comparison.allowed));
}

}  // namespace slipway::model
