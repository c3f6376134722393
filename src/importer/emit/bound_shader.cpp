// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "importer/emit/bound_shader.hpp"

#include <algorithm>

#include "base/format.hpp"
#include "importer/supported.hpp"

namespace slipway::importer {
namespace {

// The extent of an open dimension is that of an operand's dimension with the same symbol.
std::int64_t extent_of(const NodeContext& node, const NetGraph& graph, const Dimension& dimension) {
  if (dimension.extent >= 0) return dimension.extent;
  for (std::size_t i = 0; i < node.inputs() && !dimension.symbol.empty(); ++i) {
    if (!node.has(i)) continue;
    const auto& declared = graph.values[node.node().inputs[i]].shape;
    if (!declared || declared->size() != node.in(i).rank()) continue;
    const auto same = std::ranges::find(*declared, dimension.symbol, &Dimension::symbol);
    if (same != declared->end()) return node.in(i).shape[static_cast<std::size_t>(same - declared->begin())];
  }
  return -1;
}

Term result_of(NodeContext& node, std::size_t i) {
  const NetValue& declared = node.result(i);
  const Term* first = node.has(0) ? &node.in(0) : nullptr;
  Term term;
  if (declared.type != FileType::Unknown)
    term.type = declared.type;
  else if (first)
    term.type = first->type;
  else
    throw Refused(formatted("the file does not declare the type of its result `{}`", declared.name));
  if (!declared.shape) {
    if (!first) throw Refused(formatted("the file does not declare the shape of its result `{}`", declared.name));
    term.shape = first->shape;
    return term;
  }
  for (std::size_t d = 0; d < declared.shape->size(); ++d) {
    term.shape.push_back(extent_of(node, node.enclosing(), (*declared.shape)[d]));
    if (term.shape.back() < 1)
      throw Refused(formatted("the extent of dimension {} of its result `{}` is not known; the file has to declare it",
                              d, declared.name));
  }
  return term;
}

tosa::TensorType graph_type(const Term& term) {
  return {info_of(term.type).graph, term.shape.empty() ? tensor::Shape{1} : term.shape};
}

}  // namespace

std::string shader_kind(const Net& net, const NetNode& node) {
  return node.domain.empty() || net.format == NetFormat::Tflite ? node.kind
                                                                : formatted("{}.{}", node.domain, node.kind);
}

void BoundShaders::emit(NodeContext& node) {
  ShaderNode made{.node = node.node(), .kind = shader_kind(node.net(), node.node()), .inputs = {}, .outputs = {}};
  used_.insert(made.kind);
  std::vector<tosa::ValueId> operands;
  for (std::size_t i = 0; i < node.inputs(); ++i) {
    if (!node.has(i)) continue;
    operands.push_back(node.b.value(node.in(i)));
    made.inputs.push_back(node.b.graph()[operands.back()].type);
  }
  std::vector<Term> results;
  for (std::size_t i = 0; i < node.outputs(); ++i) {
    if (!node.wants(i)) continue;
    results.push_back(result_of(node, i));
    if (results.back().rank() > kMaxGraphRank)
      throw Refused(formatted("a tensor has rank {}; {} is the limit", results.back().rank(), kMaxGraphRank));
    made.outputs.push_back(graph_type(results.back()));
  }
  Result<std::string> attributes = options_.shaders.find(made.kind)->second(made);
  if (!attributes) {
    if (failed_.insert(made.kind).second) problems_.append_range(attributes.error());
    throw Refused("its shader cannot be used");
  }
  const auto values = node.b.graph().add_node(tosa::Op::CUSTOM, std::move(operands), {}, made.outputs);
  tosa::Node& added = node.b.graph().nodes.back();
  added.name = node.b.origin;
  added.location = node.b.location;
  added.custom = std::make_shared<tosa::CustomOperator>(
      tosa::CustomOperator{"com.arm.VulkanCustomShader", made.kind, *std::move(attributes)});
  std::size_t next = 0;
  for (std::size_t i = 0; i < node.outputs(); ++i) {
    if (!node.wants(i)) continue;
    Term term = node.b.term(values[next], results[next].type);
    if (results[next].shape.empty()) term = node.b.reshape(term, {});
    node.out(i, std::move(term));
    ++next;
  }
}

void BoundShaders::finish(const Net& net, Diagnostics& diagnostics) const {
  diagnostics.add(problems_);
  std::set<std::string> unbound;
  for (const auto& graph : net.graphs) {
    for (const NetNode& node : graph->nodes) {
      if (!obstacle_of(net.format, node.domain, node.kind).empty() && !has(net, node))
        unbound.insert(formatted("`{}`", shader_kind(net, node)));
    }
  }
  std::string others;
  for (const std::string& kind : unbound) others += formatted("{}{}", others.empty() ? "" : ", ", kind);
  for (const auto& [kind, shader] : options_.shaders) {
    if (used_.contains(kind)) continue;
    Diagnostic& problem =
        diagnostics.error(DiagnosticKind::UnknownReference, SourceLocation::in_file(net.file),
                          formatted("no node that was reached is a `{}`, to which `--shader` binds a shader", kind));
    if (!others.empty()) problem.hint(formatted("kinds without an operator or a shader: {}", others));
  }
}

}  // namespace slipway::importer
