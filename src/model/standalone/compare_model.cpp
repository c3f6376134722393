// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "model/standalone/compare_model.hpp"

#include <algorithm>

#include "base/format.hpp"
#include "model/resolve_model.hpp"

namespace slipway::model {
namespace {

using reference::Tensor;

class ModelComparer {
 public:
  ModelComparer(const vgf::File& file, const ModelValues& values, const Intermediates* intermediates,
                const GraphRunner& other)
      : file_(file), values_(values), intermediates_(intermediates), other_(other) {}

  Result<> segment(const SegmentSteps& steps) {
    if (!steps.graph) {
      left_out(formatted("segment `{}` is a shader", steps.name));
      return {};
    }
    const tosa::Graph& graph = *steps.graph;
    std::vector<Tensor> inputs, outputs;
    for (std::size_t i = 0; i < graph.inputs.size(); ++i) {
      const std::vector<std::byte>* bytes = value_at(steps, graph.input_bindings[i]);
      if (!bytes) {
        left_out(formatted("segment `{}`: what was at its input {} is not known after the run", steps.name, i));
        return {};
      }
      inputs.push_back(Tensor::from_bytes(graph[graph.inputs[i]].type, *bytes));
    }
    if (Result<> done = layers(steps, inputs); !done) return done;
    std::vector<bool> known;
    for (std::size_t i = 0; i < graph.outputs.size(); ++i) {
      const std::vector<std::byte>* bytes = value_at(steps, graph.output_bindings[i]);
      const tosa::TensorType& type = graph[graph.outputs[i]].type;
      known.push_back(bytes != nullptr);
      outputs.push_back(bytes ? Tensor::from_bytes(type, *bytes) : Tensor::zeros(type));
    }
    SLIPWAY_TRY(std::vector<OutputComparison> compared, compare_outputs(steps, std::move(inputs), outputs));
    for (std::size_t i = 0; i < compared.size(); ++i) {
      const std::string name = name_of(*bound_resource(file_.segments[steps.segment], graph.output_bindings[i]));
      compared[i].name = name;
      if (known[i])
        comparison_.outputs.push_back(std::move(compared[i]));
      else
        left_out(formatted("segment `{}`: `{}` is not known after the run", steps.name, name));
    }
    return {};
  }

  ModelComparison take() { return std::move(comparison_); }

 private:
  // One for each output of the graph, without names.
  Result<std::vector<OutputComparison>> compare_outputs(const SegmentSteps& steps, std::vector<Tensor> inputs,
                                                        std::span<const Tensor> outputs) {
    std::vector<OutputComparison> made;
    if (other_) {
      SLIPWAY_TRY(const std::vector<Tensor> others, other_(steps.graph, inputs));
      SLIPWAY_TRY(const std::vector<DeviceComparison> compared,
                  compare_devices(*steps.graph, std::move(inputs), outputs, others));
      for (const DeviceComparison& one : compared) made.push_back({steps.segment, {}, one.between, one});
      return made;
    }
    SLIPWAY_TRY(const std::vector<ValueComparison> compared,
                compare_with_reference(*steps.graph, std::move(inputs), outputs));
    for (const ValueComparison& one : compared) made.push_back({steps.segment, {}, one});
    return made;
  }

  Result<> layers(const SegmentSteps& steps, std::span<const Tensor> inputs) {
    if (!intermediates_) return {};
    const tosa::Graph& graph = *steps.graph;
    const auto found = intermediates_->graphs.find(&graph);
    if (found == intermediates_->graphs.end()) return {};
    std::vector<StoredValue> stored = found->second;
    for (StoredValue& one : stored) {
      const auto output = std::ranges::find(graph.outputs, one.value);
      if (output == graph.outputs.end()) continue;
      const auto at = static_cast<std::size_t>(output - graph.outputs.begin());
      if (const std::vector<std::byte>* bytes = value_at(steps, graph.output_bindings[at])) one.bytes = *bytes;
    }
    SLIPWAY_TRY(std::vector<LayerComparison> compared, compare_layers(graph, inputs, stored, other_));
    comparison_.layers.push_back({steps.segment, std::move(compared)});
    return {};
  }

  void left_out(std::string why) { comparison_.left_out.push_back(std::move(why)); }

  const std::vector<std::byte>* value_at(const SegmentSteps& steps, const tosa::Binding& binding) const {
    const auto resource = bound_resource(file_.segments[steps.segment], binding);
    const auto found = resource ? values_.find(*resource) : values_.end();
    return found == values_.end() ? nullptr : &found->second;
  }

  std::string name_of(std::uint32_t resource) const {
    const auto output = std::ranges::find(file_.outputs, resource, &vgf::Slot::resource);
    if (output == file_.outputs.end()) return formatted("resource {}", resource);
    return output_label(file_, static_cast<std::size_t>(output - file_.outputs.begin()));
  }

  const vgf::File& file_;
  const ModelValues& values_;
  const Intermediates* intermediates_;
  const GraphRunner& other_;
  ModelComparison comparison_;
};

}  // namespace

Result<ModelComparison> compare_model(const vgf::File& file, const Standalone& alone, const ModelValues& values,
                                      const Intermediates* intermediates, const GraphRunner& other) {
  ModelComparer comparer(file, values, intermediates, other);
  for (const SegmentSteps& steps : alone.segments) {
    if (Result<> done = comparer.segment(steps); !done) return fail(std::move(done.error()));
  }
  return comparer.take();
}

}  // namespace slipway::model
