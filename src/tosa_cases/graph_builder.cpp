// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tosa_cases/graph_builder.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "base/format.hpp"
#include "reference/bounds.hpp"
#include "reference/precision.hpp"
#include "tosa/text.hpp"
#include "tosa_cases/predictable.hpp"

namespace slipway::tosa_cases {
namespace {

using tosa::Op;

double largest(const Tensor& tensor) {
  double size = 0;
  for (const double real : tensor.reals) size = std::max(size, std::fabs(real));
  return size;
}
double smallest(const Tensor& tensor) {
  double size = HUGE_VAL;
  for (const double real : tensor.reals) size = std::min(size, std::fabs(real));
  return size;
}

// The factor by which an operator amplifies errors of its operands, by their magnitude (the largest slope of the
// function in their range). Infinity for discontinuous operators: their operands must have no error.
// Long, because each operator has its own rule.
double spread(const OperatorCase& made, std::span<const double> errors) {
  const auto error = [&](std::size_t i) { return i < errors.size() ? errors[i] : 0; };
  const auto size = [&](std::size_t i) { return largest(made.operands[i]); };
  const double e = *std::ranges::max_element(errors);
  const auto product = [&](double count) {
    return count * (size(0) * error(1) + size(1) * error(0) + error(0) * error(1));
  };
  const tosa::Node& node = made.node();
  const auto extent = [&](std::size_t operand, std::size_t d) {
    return static_cast<double>(made.operands[operand].type.shape[d]);
  };
  switch (node.op) {
    case Op::ADD:
    case Op::SUB:
      return error(0) + error(1);
    case Op::MUL:
      return product(1);
    case Op::MATMUL:
    case Op::MATMUL_T:
      return product(extent(0, 2));
    case Op::CONV2D:
    case Op::TRANSPOSE_CONV2D:
      return product(extent(1, 1) * extent(1, 2) * extent(1, 3)) + error(2);
    case Op::CONV3D:
      return product(extent(1, 1) * extent(1, 2) * extent(1, 3) * extent(1, 4)) + error(2);
    case Op::DEPTHWISE_CONV2D:
      return product(extent(1, 0) * extent(1, 1)) + error(2);
    case Op::REDUCE_SUM:
      return e * extent(0, static_cast<std::size_t>(node.attributes.integer("axis")));
    case Op::EXP:
      return std::exp(size(0) + e) * e;
    case Op::SIGMOID:
      return 0.25 * e;
    case Op::ERF:
      return 1.13 * e;
    case Op::LOG:
    case Op::RECIPROCAL:
    case Op::RSQRT: {
      const double least = smallest(made.operands[0]) - e;
      if (least <= 0) return HUGE_VAL;
      return node.op == Op::LOG ? e / least : node.op == Op::RSQRT ? e * std::pow(least, -1.5) : e / (least * least);
    }
    case Op::FFT2D:
    case Op::RFFT2D:
      return 2 * e * extent(0, 1) * extent(0, 2);
    case Op::RESIZE:
    case Op::AVG_POOL2D:
    case Op::MAX_POOL2D:
    case Op::MAXIMUM:
    case Op::MINIMUM:
    case Op::CLAMP:
    case Op::ABS:
    case Op::NEGATE:
    case Op::TANH:
    case Op::SIN:
    case Op::COS:
    case Op::REDUCE_MAX:
    case Op::REDUCE_MIN:
    case Op::CONCAT:
    case Op::PAD:
    case Op::RESHAPE:
    case Op::REVERSE:
    case Op::SLICE:
    case Op::TILE:
    case Op::TRANSPOSE:
    case Op::GATHER:
    case Op::ROW_GATHER:
    case Op::SCATTER:
    case Op::SELECT:
      return e;
    case Op::CAST:
      return tosa::is_float(made.graph[node.outputs[0]].type.data) ? e : HUGE_VAL;
    default:
      return HUGE_VAL;
  }
}

bool is_whole(const Tensor& tensor) {
  return std::ranges::all_of(tensor.reals, [](double x) { return x == std::floor(x); });
}

// The same graph with one value as its only output and only the nodes that it needs; for messages.
tosa::Graph cut_down(const tosa::Graph& graph, ValueId value) {
  std::vector<bool> needed(graph.values.size(), false);
  needed[tosa::index(value)] = true;
  for (std::size_t n = graph.nodes.size(); n-- > 0;) {
    const tosa::Node& node = graph.nodes[n];
    if (std::ranges::none_of(node.outputs, [&](ValueId output) { return needed[tosa::index(output)]; })) continue;
    for (const ValueId input : node.inputs) needed[tosa::index(input)] = true;
  }
  tosa::Graph cut;
  std::vector<ValueId> now(graph.values.size(), tosa::kNoValue);
  for (std::size_t v = 0; v < graph.values.size(); ++v) {
    const tosa::Value& from = graph.values[v];
    if (!needed[v]) continue;
    if (from.kind == tosa::ValueKind::Input) now[v] = cut.add_input(from.type);
    if (from.kind == tosa::ValueKind::Constant) {
      const tosa::Constant& constant = graph.constants[from.source];
      now[v] = cut.add_constant(from.type, std::vector(constant.data.begin(), constant.data.end()), constant.splat);
    }
    if (from.kind != tosa::ValueKind::Result || now[v] != tosa::kNoValue) continue;
    const tosa::Node& node = graph.nodes[from.source];
    std::vector<ValueId> inputs;
    std::vector<tosa::TensorType> types;
    for (const ValueId input : node.inputs) inputs.push_back(now[tosa::index(input)]);
    for (const ValueId output : node.outputs) types.push_back(graph[output].type);
    const auto added = cut.add_node(node.op, std::move(inputs), node.attributes, std::move(types));
    for (std::size_t i = 0; i < added.size(); ++i) now[tosa::index(node.outputs[i])] = added[i];
  }
  cut.outputs = {now[tosa::index(value)]};
  return cut;
}

}  // namespace

ValueId GraphBuilder::input(Tensor value) {
  const ValueId id = graph.add_input(value.type);
  values.push_back(std::move(value));
  errors.push_back(0);
  return id;
}

ValueId GraphBuilder::constant(Tensor value) {
  const ValueId id = graph.add_constant(value.type, value.to_bytes());
  values.push_back(std::move(value));
  errors.push_back(0);
  return id;
}

double GraphBuilder::size(ValueId id) const { return largest(value(id)); }
double GraphBuilder::min_size(ValueId id) const { return smallest(value(id)); }

std::optional<double> GraphBuilder::error_of(const OperatorCase& made, const reference::NodeResults& results,
                                             std::span<const double> errors_in) const {
  std::vector<const Tensor*> operands;
  for (const Tensor& operand : made.operands) operands.push_back(&operand);
  const bool exact_operands = std::ranges::all_of(errors_in, [](double error) { return error == 0; });
  const DataType type = results.values[0].type.data;
  if (!tosa::is_float(type)) return exact_operands ? std::optional(0.0) : std::nullopt;
  const reference::Precision precision = reference::precision_of(type);
  // Infinities, NaN and subnormals have cases of their own; here they would hide all later operators.
  bool subnormal = false;
  for (const Tensor& value : results.values) {
    for (const double real : value.reals) {
      if (!std::isfinite(real)) return std::nullopt;
      subnormal |= real != 0 && std::fabs(real) < precision.min_normal;
    }
  }
  if (subnormal && only_comparable) return std::nullopt;
  const auto bounds = *reference::bounds(made.graph, made.node(), operands, results);
  double allowed = 0;
  bool as_is = true;  // no result was changed by rounding
  for (std::size_t r = 0; r < results.values.size(); ++r) {
    for (const double bound : bounds[r]) allowed = std::max(allowed, bound);
    as_is &= results.values[r].reals == results.unrounded[r];
  }
  if (exact_operands && !subnormal) {
    if (allowed == 0) return 0;
    const bool rounds_once = made.node().op == Op::ADD || made.node().op == Op::SUB || made.node().op == Op::MUL ||
                             made.node().op == Op::CAST || made.node().op == Op::CEIL || made.node().op == Op::FLOOR;
    if (rounds_once && as_is) return 0;
    // A sum of products of whole numbers is exact in any order if every partial sum is exact.
    const auto scale = reference::dot_product_scale(made.graph, made.node(), operands, results);
    if (scale && made.node().op != Op::AVG_POOL2D && made.node().op != Op::FFT2D && made.node().op != Op::RFFT2D &&
        std::ranges::all_of(made.operands, is_whole)) {
      const double most = std::ldexp(2.0, precision.fraction_bits);
      const bool small = std::ranges::all_of(scale->magnitudes[0], [&](double size) { return size < most; });
      if (small) return 0;
    }
  }
  if (!std::isfinite(allowed)) return std::nullopt;
  const double error =
      2 * allowed + (exact_operands ? 0 : spread(made, errors_in)) + (subnormal ? precision.min_normal : 0);
  // An error as large as the value makes a comparison useless.
  double size = 0;
  for (const Tensor& value : results.values) size = std::max(size, largest(value));
  if (only_comparable && !(error < 0.25 * size)) return std::nullopt;
  return error;
}

std::optional<std::vector<ValueId>> GraphBuilder::try_add(Op op, std::span<const ValueId> operands,
                                                          tosa::Attributes given, std::vector<DataType> results) {
  // Callers that choose between operators pass the attributes of all of them.
  tosa::Attributes attributes;
  for (const tosa::Attributes::Entry& entry : given.entries()) {
    if (!tosa::info_of(op).operand(entry.name)) continue;
    const tosa::OperandKind kind = tosa::info_of(op).operand(entry.name)->kind;
    const bool is_scalar = kind == tosa::OperandKind::Value || kind == tosa::OperandKind::One;
    if (is_scalar && entry.integers.empty())
      attributes.set_real(entry.name, entry.real);
    else
      attributes.set(entry.name, entry.integers);
  }
  CaseParts parts{{}, attributes, std::move(results)};
  std::vector<double> errors_in;
  for (const ValueId operand : operands) {
    parts.tensors.push_back(value(operand));
    errors_in.push_back(error(operand));
  }
  Diagnostics problems;
  const auto made = make_case("", op, std::move(parts), problems);
  if (!made) return std::nullopt;
  if (takes_shape && !takes_shape(made->graph[made->node().outputs[0]].type.shape)) return std::nullopt;
  if (!is_predictable(*made)) return std::nullopt;
  for (std::size_t i = 0; i < operands.size(); ++i) {
    if (made->graph.constant(made->node().inputs[i]) && !graph.constant(operands[i])) return std::nullopt;
  }
  std::vector<const Tensor*> pointers;
  std::vector<tosa::TensorType> types;
  for (const Tensor& operand : made->operands) pointers.push_back(&operand);
  for (const ValueId output : made->node().outputs) types.push_back(made->graph[output].type);
  auto ran = reference::run_node(made->graph, made->node(), pointers);
  if (!ran) return std::nullopt;
  const auto error = error_of(*made, *ran, errors_in);
  if (!error) return std::nullopt;
  std::vector<ValueId> added =
      graph.add_node(op, {operands.begin(), operands.end()}, std::move(attributes), std::move(types));
  for (Tensor& value : ran->values) {
    values.push_back(std::move(value));
    errors.push_back(*error);
  }
  return added;
}

ValueId GraphBuilder::add(Op op, std::vector<ValueId> operands, tosa::Attributes attributes,
                          std::vector<DataType> results) {
  const auto added = try_add(op, operands, std::move(attributes), std::move(results));
  if (!added) {
    std::string types;
    for (const ValueId operand : operands) types += " " + tosa::text_of(type(operand));
    throw std::logic_error(formatted("{} of{} has no predictable result", tosa::name_of(op), types));
  }
  return (*added)[0];
}

std::vector<Tensor> GraphBuilder::inputs() const {
  std::vector<Tensor> tensors;
  for (const ValueId input : graph.inputs) tensors.push_back(value(input));
  return tensors;
}

std::vector<Tensor> GraphBuilder::outputs() const {
  std::vector<Tensor> tensors;
  for (const ValueId output : graph.outputs) tensors.push_back(value(output));
  return tensors;
}

std::vector<OperatorCase> GraphBuilder::operators() const {
  std::vector<OperatorCase> cases;
  for (const tosa::Node& node : graph.nodes) {
    CaseParts parts{{}, node.attributes, {}};
    for (const ValueId operand : node.inputs) parts.tensors.push_back(value(operand));
    for (const ValueId output : node.outputs) parts.results.push_back(type(output).data);
    Diagnostics problems;
    cases.push_back(*make_case(std::string(tosa::name_of(node.op)), node.op, std::move(parts), problems));
  }
  return cases;
}

std::string GraphBuilder::disagreement(std::span<const Tensor> results, std::span<const ValueId> value_of) const {
  for (std::size_t r = 0; r < results.size(); ++r) {
    const Tensor& wanted = value(value_of[r]);
    const double allowed = error(value_of[r]);
    const auto wrong = [&](std::size_t i, double is, double should_be) {
      return formatted("value %{} element {} is {} instead of {} (bound {})\n{}", tosa::index(value_of[r]), i, is,
                       should_be, allowed, tosa::print(cut_down(graph, value_of[r])));
    };
    for (std::size_t i = 0; i < wanted.integers.size(); ++i) {
      if (results[r].integers[i] != wanted.integers[i])
        return wrong(i, static_cast<double>(results[r].integers[i]), static_cast<double>(wanted.integers[i]));
    }
    for (std::size_t i = 0; i < wanted.reals.size(); ++i) {
      if (!(std::fabs(results[r].reals[i] - wanted.reals[i]) <= allowed))
        return wrong(i, results[r].reals[i], wanted.reals[i]);
    }
  }
  return "";
}

}  // namespace slipway::tosa_cases
