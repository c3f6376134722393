// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One node of a model while it becomes operators of a graph: what the function of its kind is given.
//
//   void emit_onnx_Relu(NodeContext& node) { node.out(0, node.b.binary(Binary::Max, node.in(0), 0)); }
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "importer/emit/builder.hpp"
#include "importer/import_options.hpp"
#include "importer/net.hpp"

namespace slipway::importer {

class NodeContext {
 public:
  // Computes a graph of the model on operands, within the graph that is made: branches, bodies of loops, composites.
  using RunGraph =
      std::function<std::vector<Term>(const NetGraph& graph, std::span<const Term> inputs, std::string_view path)>;

  NodeContext(Builder& builder, const NetNode& node, const NetGraph& graph, const Net& net,
              const ImportOptions& options, std::span<const Term* const> inputs, std::span<std::optional<Term>> outputs,
              std::map<std::string, Term>& variables, const RunGraph& run)
      : b(builder),
        node_(node),
        graph_(graph),
        net_(net),
        options_(options),
        inputs_(inputs),
        outputs_(outputs),
        variables_(variables),
        run_(run) {}

  Builder& b;

  // The same node with other operands, whose results go elsewhere.
  NodeContext with(std::span<const Term* const> inputs, std::span<std::optional<Term>> outputs) const {
    return {b, node_, graph_, net_, options_, inputs, outputs, variables_, run_};
  }

  const NetNode& node() const { return node_; }
  const Net& net() const { return net_; }
  const NetGraph& enclosing() const { return graph_; }
  const ImportOptions& options() const { return options_; }
  std::int64_t version() const { return node_.version; }

  // Operands that are given; absent ones at the end do not count.
  std::size_t inputs() const { return inputs_.size(); }
  bool has(std::size_t i) const { return i < inputs_.size() && inputs_[i]; }
  // Refused: the operand is absent, or not a tensor.
  const Term& in(std::size_t i) const;
  // The same for operands that may be sequences and optional values.
  const Term& operand(std::size_t i) const;
  // The elements of an operand that has to be known before the run. NotKnown otherwise; Refused: it is absent.
  const Array& known(std::size_t i, std::string_view what) const;
  std::vector<std::int64_t> integers(std::size_t i, std::string_view what) const { return known(i, what).integers(); }

  // A tensor of the node's graph that neither is an operand nor a result.
  const NetValue& value(NetValueId id) const { return graph_.values[id]; }

  std::size_t outputs() const { return outputs_.size(); }
  // What the file declares of a result. Refused: it is absent.
  const NetValue& result(std::size_t i) const;
  bool wants(std::size_t i) const { return i < node_.outputs.size() && node_.outputs[i] != kAbsent; }
  void out(std::size_t i, Term term) {
    if (i < outputs_.size()) outputs_[i] = std::move(term);
  }

  // The new value of an operand that keeps its value between runs (TensorFlow Lite). Refused: it does not.
  void update(std::size_t i, Term term);
  const std::map<std::size_t, Term>& updates() const { return updates_; }
  // Values of variables by their names, which nodes may add.
  std::map<std::string, Term>& variables() { return variables_; }

  // Attributes; one of another kind is refused.
  bool has(std::string_view name) const { return node_.attributes.contains(name); }
  std::int64_t integer(std::string_view name, std::int64_t otherwise) const;
  std::int64_t integer(std::string_view name) const;  // Refused: it is absent
  bool flag(std::string_view name, bool otherwise = false) const { return integer(name, otherwise ? 1 : 0) != 0; }
  double real(std::string_view name, double otherwise) const;
  std::string text(std::string_view name, std::string_view otherwise) const;
  std::optional<std::vector<std::int64_t>> list(std::string_view name) const;
  std::optional<std::vector<double>> reals(std::string_view name) const;
  std::optional<std::vector<std::string>> texts(std::string_view name) const;
  const Array* array(std::string_view name) const;
  std::shared_ptr<const NetGraph> graph(std::string_view name) const;

  // A subgraph, with the operands of its inputs; the values that it captures are known to the caller.
  std::vector<Term> run(const NetGraph& graph, std::span<const Term> operands, std::string_view path) const {
    return run_(graph, operands, path);
  }

 private:
  const AttributeValue* find(std::string_view name) const;

  const NetNode& node_;
  const NetGraph& graph_;
  const Net& net_;
  const ImportOptions& options_;
  std::span<const Term* const> inputs_;
  std::span<std::optional<Term>> outputs_;
  std::map<std::size_t, Term> updates_;
  std::map<std::string, Term>& variables_;
  const RunGraph& run_;
};

using EmitNode = void (*)(NodeContext& node);

// The function for a kind of node; null: none is known.
EmitNode find_onnx_operator(std::string_view domain, std::string_view kind);
EmitNode find_tflite_operator(std::string_view domain, std::string_view kind);

}  // namespace slipway::importer
