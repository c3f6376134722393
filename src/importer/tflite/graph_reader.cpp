// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "importer/tflite/graph_reader.hpp"

#include <algorithm>

#include "base/format.hpp"
#include "importer/tflite/operator_options.hpp"
#include "tflite_generated.h"

namespace slipway::importer {
namespace {

const fb::SubGraph& subgraph(const TfliteFile& file, std::size_t index) {
  return *file.model().subgraphs()->Get(static_cast<flatbuffers::uoffset_t>(index));
}

class TfliteGraphReader {
 public:
  TfliteGraphReader(TfliteFile& file, TensorReader& tensors, const std::vector<OperatorKind>& kinds, std::size_t index)
      : file_(file), tensors_(tensors), kinds_(kinds), index_(index), from_(subgraph(file, index)) {}

  NetGraph run() {
    if (!file_.take(string_of(from_.name()).size(), &from_)) return {};
    graph_.name = string_of(from_.name());
    roles_.resize(count_of(from_.tensors()));
    excused_.resize(roles_.size());
    read_ends(from_.inputs(), "input", graph_.inputs);
    for (const NetValueId input : graph_.inputs) roles_[input].is_input = true;
    read_nodes();
    for (std::size_t i = 0; i < roles_.size() && !file_.stopped(); ++i) {
      const fb::Tensor& tensor = *from_.tensors()->Get(static_cast<flatbuffers::uoffset_t>(i));
      const std::size_t before = file_.errors();
      graph_.values.push_back(tensors_.read(tensor, label(i), roles_[i]));
      if (file_.errors() != before) excused_[i] = true;
    }
    read_ends(from_.outputs(), "output", graph_.outputs);
    if (file_.stopped()) return {};
    check_order();
    return std::move(graph_);
  }

 private:
  std::string label(std::size_t tensor) const { return tensor_label(file_, index_, tensor); }
  const fb::Operator& operator_at(std::size_t i) const {
    return *from_.operators()->Get(static_cast<flatbuffers::uoffset_t>(i));
  }
  bool is_tensor(std::int64_t index) const { return index >= 0 && static_cast<std::size_t>(index) < roles_.size(); }

  // `role`: input or output.
  void read_ends(const flatbuffers::Vector<std::int32_t>* list, std::string_view role, std::vector<NetValueId>& to) {
    if (!file_.take(count_of(list) * sizeof(NetValueId), &from_)) return;
    for (const std::int32_t tensor : span_of(list)) {
      if (is_tensor(tensor)) {
        to.push_back(static_cast<NetValueId>(tensor));
      } else {
        file_.error(DiagnosticKind::UnknownReference, &from_,
                    formatted("an {} of subgraph {} is tensor {}; the subgraph has {} tensors", role, index_, tensor,
                              roles_.size()));
      }
    }
  }

  void read_nodes() {
    const std::size_t count = count_of(from_.operators());
    for (std::size_t i = 0; i < count && !file_.stopped(); ++i) {
      const fb::Operator& from = operator_at(i);
      if (!file_.take(sizeof(NetNode), &from)) return;
      NetNode node{.index = static_cast<std::uint32_t>(i), .location = file_.location_of(&from)};
      if (!name(from, node)) {
        for (const std::int32_t tensor : span_of(from.outputs())) {
          if (is_tensor(tensor)) roles_[static_cast<std::size_t>(tensor)].is_result = true;
          if (is_tensor(tensor)) excused_[static_cast<std::size_t>(tensor)] = true;
        }
        continue;
      }
      read_operands(from, "operand", from.inputs(), node, node.inputs);
      read_operands(from, "result", from.outputs(), node, node.outputs);
      add_intermediates(from, node);
      const OperatorKind& kind = kinds_[from.opcode_index()];
      if (kind.builtin)
        add_options(file_, from, *kind.builtin, node);
      else
        add_custom_options(file_, from, node);
      check_subgraphs(from, node);
      graph_.nodes.push_back(std::move(node));
    }
  }

  // A node is known to people by its first result.
  bool name(const fb::Operator& from, NetNode& node) {
    if (from.opcode_index() >= kinds_.size()) {
      file_.error(DiagnosticKind::UnknownReference, &from,
                  formatted("operator {} of subgraph {} has the operator code {}; the file has {}", node.index, index_,
                            from.opcode_index(), kinds_.size()));
      return false;
    }
    const OperatorKind& kind = kinds_[from.opcode_index()];
    if (kind.kind.empty()) {
      file_.error(DiagnosticKind::Unsupported, &from,
                  kind.code == kCustomOperator
                      ? formatted("operator {} of subgraph {} is a custom operator without a name", node.index, index_)
                      : formatted("operator {} of subgraph {} is the builtin operator {}, which is unknown", node.index,
                                  index_, kind.code));
      return false;
    }
    if (!kind.builtin) node.domain = "custom";
    node.version = kind.version;
    const std::span<const std::int32_t> outputs = span_of(from.outputs());
    std::string_view result;
    if (!outputs.empty() && is_tensor(outputs[0]))
      result = string_of(from_.tensors()->Get(static_cast<flatbuffers::uoffset_t>(outputs[0]))->name());
    if (!file_.take(kind.kind.size() + result.size(), &from)) return false;
    node.kind = kind.kind;
    node.name = result;
    return true;
  }

  // `what`: operand or result.
  void read_operands(const fb::Operator& from, std::string_view what, const flatbuffers::Vector<std::int32_t>* list,
                     NetNode& node, std::vector<NetValueId>& to) {
    if (!file_.take(count_of(list) * sizeof(NetValueId), &from)) return;
    const bool are_results = &to == &node.outputs;
    for (std::size_t i = 0; i < count_of(list); ++i) {
      const std::int32_t tensor = span_of(list)[i];
      to.push_back(is_tensor(tensor) ? static_cast<NetValueId>(tensor) : kAbsent);
      if (tensor == -1) continue;
      if (!is_tensor(tensor)) {
        file_.error(DiagnosticKind::UnknownReference, &from,
                    formatted("{} {} of {} is tensor {}; the subgraph has {} tensors", what, i, node.label(), tensor,
                              roles_.size()));
      } else if (are_results) {
        TensorRole& role = roles_[static_cast<std::size_t>(tensor)];
        if (role.is_result || role.is_input) {
          file_.error(
              DiagnosticKind::FileFormat, &from,
              formatted("{} is a result of {}, and {} too", label(static_cast<std::size_t>(tensor)), node.label(),
                        role.is_input ? "an input of the graph" : "a result of another operator"));
        }
        role.is_result = true;
      }
    }
  }

  void add_intermediates(const fb::Operator& from, NetNode& node) {
    const std::span<const std::int32_t> list = span_of(from.intermediates());
    if (list.empty() || !file_.take(list.size() * sizeof(std::int64_t), &from)) return;
    for (const std::int32_t tensor : list) {
      if (tensor == -1 || is_tensor(tensor)) continue;
      file_.error(DiagnosticKind::UnknownReference, &from,
                  formatted("an intermediate of {} is tensor {}; the subgraph has {} tensors", node.label(), tensor,
                            roles_.size()));
    }
    node.attributes.emplace("intermediates", std::vector<std::int64_t>(list.begin(), list.end()));
  }

  void check_subgraphs(const fb::Operator& from, const NetNode& node) {
    if (!node.domain.empty()) return;
    const auto graphs = static_cast<std::int64_t>(count_of(file_.model().subgraphs()));
    for (const auto& [key, value] : node.attributes) {
      if (!key.ends_with("subgraph_index") && key != "subgraph") continue;
      const auto* number = std::get_if<std::int64_t>(&value);
      if (!number || (*number >= 0 && *number < graphs)) continue;
      file_.error(
          DiagnosticKind::UnknownReference, &from,
          formatted("`{}` of {} is subgraph {}; the file has {} subgraphs", key, node.label(), *number, graphs));
    }
  }

  // Operators are in an order in which they can run.
  void check_order() {
    std::vector<bool> known(graph_.values.size());
    for (std::size_t i = 0; i < known.size(); ++i) {
      const NetValue& value = graph_.values[i];
      known[i] = roles_[i].is_input || value.constant || value.is_variable || excused_[i];
    }
    for (const NetNode& node : graph_.nodes) {
      for (std::size_t i = 0; i < node.inputs.size(); ++i) {
        const NetValueId id = node.inputs[i];
        if (id == kAbsent || known[id]) continue;
        known[id] = true;  // reported once
        file_.error(DiagnosticKind::UnknownReference, &operator_at(node.index),
                    formatted("operand {} of {} is {}, which {}", i, node.label(), label(id),
                              roles_[id].is_result ? "a later operator computes"
                                                   : "is not an input, a constant, a variable or a result"));
      }
      for (const NetValueId id : node.outputs) {
        if (id != kAbsent) known[id] = true;
      }
    }
    for (const NetValueId id : graph_.outputs) {
      if (known[id]) continue;
      file_.error(DiagnosticKind::UnknownReference, &from_,
                  formatted("an output of subgraph {} is {}, which is not an input, a constant, a variable or a result",
                            index_, label(id)));
    }
  }

  TfliteFile& file_;
  TensorReader& tensors_;
  const std::vector<OperatorKind>& kinds_;
  std::size_t index_;
  const fb::SubGraph& from_;
  NetGraph graph_;
  std::vector<TensorRole> roles_;
  std::vector<bool> excused_;  // what is wrong with the tensor has been reported
};

}  // namespace

NetGraph read_graph(TfliteFile& file, TensorReader& tensors, const std::vector<OperatorKind>& kinds,
                    std::size_t index) {
  return TfliteGraphReader(file, tensors, kinds, index).run();
}

std::string tensor_label(const TfliteFile& file, std::size_t graph, std::size_t tensor) {
  const auto* tensors = subgraph(file, graph).tensors();
  const std::string_view name = string_of(tensors->Get(static_cast<flatbuffers::uoffset_t>(tensor))->name());
  if (!name.empty()) return formatted("tensor `{}`", name);
  return graph == 0 ? formatted("tensor {}", tensor) : formatted("tensor {} of subgraph {}", tensor, graph);
}

}  // namespace slipway::importer
