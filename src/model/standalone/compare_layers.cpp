// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "model/standalone/compare_layers.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "base/format.hpp"
#include "reference/run.hpp"
#include "tensor/element.hpp"

namespace slipway::model {
namespace {

using reference::Tensor;
using tosa::ValueId;

// The operators between known values and one other value, as a graph of their own.
struct PartOfGraph {
  tosa::Graph graph;
  std::vector<ValueId> inputs;  // of the whole graph
};

class PartBuilder {
 public:
  PartBuilder(const tosa::Graph& whole, const std::vector<bool>& known) : whole_(whole), known_(known) {}

  PartOfGraph build(ValueId target) {
    std::vector<std::uint32_t> nodes = nodes_before(target);
    for (const std::uint32_t node : nodes) add(whole_.nodes[node]);
    part_.graph.outputs = {made_.at(target)};
    return std::move(part_);
  }

 private:
  // In the order of the graph.
  std::vector<std::uint32_t> nodes_before(ValueId target) const {
    std::vector<bool> seen(whole_.nodes.size(), false);
    std::vector<std::uint32_t> nodes, open = {whole_[target].source};
    while (!open.empty()) {
      const std::uint32_t node = open.back();
      open.pop_back();
      if (seen[node]) continue;
      seen[node] = true;
      nodes.push_back(node);
      for (const ValueId input : whole_.nodes[node].inputs) {
        if (!known_[index(input)] && whole_[input].kind == tosa::ValueKind::Result)
          open.push_back(whole_[input].source);
      }
    }
    std::ranges::sort(nodes);
    return nodes;
  }

  ValueId value(ValueId of) {
    if (const auto found = made_.find(of); found != made_.end()) return found->second;
    const tosa::Value& from = whole_[of];
    ValueId made{};
    if (const tosa::Constant* constant = whole_.constant(of)) {
      made = part_.graph.add_constant(from.type, constant->data, constant->splat, from.name);
    } else {
      made = part_.graph.add_input(from.type, from.name);
      part_.inputs.push_back(of);
    }
    return made_[of] = made;
  }

  void add(const tosa::Node& node) {
    std::vector<ValueId> inputs;
    for (const ValueId input : node.inputs) inputs.push_back(value(input));
    std::vector<tosa::TensorType> types;
    for (const ValueId output : node.outputs) types.push_back(whole_[output].type);
    const std::vector<ValueId> results =
        part_.graph.add_node(node.op, std::move(inputs), node.attributes, std::move(types));
    for (std::size_t i = 0; i < results.size(); ++i) made_[node.outputs[i]] = results[i];
    part_.graph.nodes.back().custom = node.custom;
    part_.graph.nodes.back().location = node.location;
  }

  const tosa::Graph& whole_;
  const std::vector<bool>& known_;
  PartOfGraph part_;
  std::map<ValueId, ValueId> made_;  // by value of the whole graph
};

class LayerComparer {
 public:
  LayerComparer(const tosa::Graph& graph, std::span<const Tensor> inputs) : graph_(graph), known_(graph.values.size()) {
    for (std::size_t i = 0; i < graph.inputs.size(); ++i) {
      known_[index(graph.inputs[i])] = true;
      device_[graph.inputs[i]] = inputs[i];
    }
  }

  Result<LayerComparison> layer(const StoredValue& stored) {
    const PartOfGraph part = PartBuilder(graph_, known_).build(stored.value);
    Tensor got = Tensor::from_bytes(graph_[stored.value].type, stored.bytes);
    std::vector<Tensor> wanted;
    SLIPWAY_TRY(const std::vector<ValueComparison> own,
                compare_with_reference(part.graph, operands(part, device_), {&got, 1}, &wanted));
    LayerComparison made{.node = graph_.producer(stored.value), .operators = stored.kernel, .own = own[0]};
    // Values that the device has right are not kept twice.
    const bool is_exact = std::ranges::none_of(part.inputs, [&](ValueId input) { return exact_.contains(input); });
    Tensor exact = wanted[0];
    if (!is_exact) {
      SLIPWAY_TRY(std::vector<Tensor> outputs, reference::run(part.graph, operands(part, exact_)));
      exact = std::move(outputs[0]);
      note_inherited(wanted[0], exact, made);
    }
    if (!is_exact || made.own.different > 0) exact_[stored.value] = std::move(exact);
    device_[stored.value] = std::move(got);
    known_[index(stored.value)] = true;
    return made;
  }

 private:
  // From the first map that has them.
  std::vector<Tensor> operands(const PartOfGraph& part, const std::map<ValueId, Tensor>& from) const {
    std::vector<Tensor> all;
    for (const ValueId input : part.inputs) {
      const auto found = from.find(input);
      all.push_back(found != from.end() ? found->second : device_.at(input));
    }
    return all;
  }

  static void note_inherited(const Tensor& from_device, const Tensor& exact, LayerComparison& made) {
    for (std::size_t i = 0; i < exact.size(); ++i) {
      const double a = exact.is_float() ? from_device.reals[i] : static_cast<double>(from_device.integers[i]);
      const double b = exact.is_float() ? exact.reals[i] : static_cast<double>(exact.integers[i]);
      if (a == b || (std::isnan(a) && std::isnan(b))) continue;
      ++made.inherited;
      const double difference = std::fabs(a - b);
      made.max_inherited = std::max(made.max_inherited, std::isnan(difference) ? HUGE_VAL : difference);
    }
  }

  const tosa::Graph& graph_;
  std::vector<bool> known_;           // by value: what the device had is known
  std::map<ValueId, Tensor> device_;  // what it had
  std::map<ValueId, Tensor> exact_;   // of the interpreter for the inputs of the graph, where it differs
};

}  // namespace

Result<std::vector<LayerComparison>> compare_layers(const tosa::Graph& graph, std::span<const Tensor> inputs,
                                                    std::span<const StoredValue> stored) {
  LayerComparer comparer(graph, inputs);
  std::vector<LayerComparison> layers;
  for (const StoredValue& one : stored) {
    if (one.bytes.empty()) continue;
    SLIPWAY_TRY(LayerComparison layer, comparer.layer(one));
    layers.push_back(std::move(layer));
  }
  return layers;
}

std::string layer_name(const LayerComparison& layer) {
  std::string name = formatted("`{}`", layer.operators);
  if (!layer.node->name.empty()) name += formatted(" `{}`", layer.node->name);
  return name;
}

std::string layers_text(std::span<const LayerComparison> layers) {
  std::string text;
  for (std::size_t i = 0; i < layers.size(); ++i) {
    const LayerComparison& layer = layers[i];
    text += formatted("layer {} {}: {}", i, layer_name(layer), comparison_text(layer.own));
    if (layer.inherited > 0)
      text += formatted("; inherited: {} of {} differ, max difference {}", layer.inherited, layer.own.elements,
                        tensor::shortest_text(layer.max_inherited));
    text += "\n";
  }
  return text;
}

}  // namespace slipway::model
