// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "model/standalone/compare_layers.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>

#include "base/format.hpp"
#include "model/plan/intermediates.hpp"
#include "reference/run.hpp"
#include "tensor/element.hpp"
#include "tosa/part_of_graph.hpp"

namespace slipway::model {
namespace {

using reference::Tensor;
using tosa::ValueId;

// The operators between known values and one other value.
struct PartToRun {
  std::shared_ptr<const tosa::Graph> graph;
  std::vector<ValueId> inputs;  // of the whole graph
};

class LayerComparer {
 public:
  LayerComparer(const tosa::Graph& graph, std::span<const Tensor> inputs, const GraphRunner& other)
      : graph_(graph), other_(other), known_(graph.values.size()) {
    for (std::size_t i = 0; i < graph.inputs.size(); ++i) {
      known_[index(graph.inputs[i])] = true;
      device_[graph.inputs[i]] = inputs[i];
    }
  }

  Result<LayerComparison> layer(const StoredValue& stored) {
    tosa::PartOfGraph found =
        tosa::part_of_graph(graph_, {&stored.value, 1}, [&](ValueId value) { return known_[index(value)]; });
    const PartToRun part{std::make_shared<const tosa::Graph>(std::move(found.graph)), std::move(found.inputs)};
    Tensor got = Tensor::from_bytes(graph_[stored.value].type, stored.bytes);
    std::vector<Tensor> wanted;
    LayerComparison made{.node = graph_.producer(stored.value), .operators = stored.kernel, .own = {}};
    SLIPWAY_TRY_VOID(compare(part, got, wanted, made));
    // Values that the device has right are not kept twice.
    const bool is_exact = std::ranges::none_of(part.inputs, [&](ValueId input) { return exact_.contains(input); });
    Tensor exact = wanted[0];
    if (!is_exact) {
      SLIPWAY_TRY(std::vector<Tensor> outputs, run(part, operands(part, exact_)));
      exact = std::move(outputs[0]);
      note_inherited(wanted[0], exact, made);
    }
    if (!is_exact || made.own.different > 0) exact_[stored.value] = std::move(exact);
    device_[stored.value] = std::move(got);
    known_[index(stored.value)] = true;
    return made;
  }

 private:
  // Sets `wanted` and the errors of the layer itself.
  Result<> compare(const PartToRun& part, const Tensor& got, std::vector<Tensor>& wanted, LayerComparison& made) {
    std::vector<Tensor> inputs = operands(part, device_);
    if (!other_) {
      SLIPWAY_TRY(const std::vector<ValueComparison> own,
                  compare_with_reference(*part.graph, std::move(inputs), {&got, 1}, &wanted));
      made.own = own[0];
      return {};
    }
    SLIPWAY_TRY(wanted, other_(part.graph, inputs));
    SLIPWAY_TRY(const std::vector<DeviceComparison> compared,
                compare_devices(*part.graph, std::move(inputs), {&got, 1}, wanted));
    made.devices = compared[0];
    made.own = compared[0].between;
    return {};
  }

  Result<std::vector<Tensor>> run(const PartToRun& part, std::vector<Tensor> inputs) const {
    if (other_) return other_(part.graph, inputs);
    return reference::run(*part.graph, std::move(inputs));
  }

  // From the first map that has them.
  std::vector<Tensor> operands(const PartToRun& part, const std::map<ValueId, Tensor>& from) const {
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
  const GraphRunner& other_;
  std::vector<bool> known_;           // by value: what the device had is known
  std::map<ValueId, Tensor> device_;  // what it had
  std::map<ValueId, Tensor> exact_;   // of the interpreter, or the other device, from the inputs of the graph on, where
                                      // it differs
};

}  // namespace

Result<std::vector<LayerComparison>> compare_layers(const tosa::Graph& graph, std::span<const Tensor> inputs,
                                                    std::span<const StoredValue> stored, const GraphRunner& other) {
  LayerComparer comparer(graph, inputs, other);
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
