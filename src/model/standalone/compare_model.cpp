// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "model/standalone/compare_model.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "base/format.hpp"
#include "model/plan/intermediates.hpp"
#include "model/resolve_model.hpp"
#include "vgf/check.hpp"

namespace slipway::model {
namespace {

using reference::Tensor;

class ModelComparer {
 public:
  ModelComparer(const vgf::File& file, const Standalone& alone, const ModelValues& values,
                const Intermediates* intermediates, const GraphRunner& other)
      : file_(file), alone_(alone), values_(values), intermediates_(intermediates), other_(other) {}

  Result<> segment(const SegmentSteps& steps) {
    const vgf::Segment& segment = file_.segments[steps.segment];
    if (!steps.graph) {
      leave_out(segment, formatted("segment `{}` is a shader", steps.name));
      return {};
    }
    for (const vgf::Slot& slot : segment.inputs) {
      if (const auto why = unproven_.find(storage_[slot.resource]); why != unproven_.end()) {
        // Its operators are compared all the same.
        leave_out(segment, "it depends on what was not compared: " + why->second);
        break;
      }
    }
    const tosa::Graph& graph = *steps.graph;
    std::vector<Tensor> inputs, outputs;
    for (std::size_t i = 0; i < graph.inputs.size(); ++i) {
      const std::vector<std::byte>* bytes = value_at(steps, graph.input_bindings[i]);
      if (!bytes) {
        leave_out(segment, formatted("what was at input {} of segment `{}` is not known after the run", i, steps.name));
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
      const std::uint32_t resource = *bound_resource(segment, graph.output_bindings[i]);
      compared[i].name = name_of(resource);
      if (known[i]) {
        compared_.insert(resource);
        comparison_.outputs.push_back(std::move(compared[i]));
      } else {
        unproven_.try_emplace(storage_[resource], "its value is not known after the run");
      }
    }
    return {};
  }

  // After all segments.
  ModelComparison take() {
    for (std::size_t i = 0; i < file_.outputs.size(); ++i) {
      const std::uint32_t resource = file_.outputs[i].resource;
      if (!compared_.contains(resource)) compare_with_input(resource);
      ++comparison_.compared.total;
      const auto why = unproven_.find(storage_[resource]);
      if (why == unproven_.end() && compared_.contains(resource))
        ++comparison_.compared.compared;
      else
        comparison_.compared.left_out.push_back(
            {output_label(file_, i), why == unproven_.end() ? "no segment computes it" : why->second});
    }
    return std::move(comparison_);
  }

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

  void leave_out(const vgf::Segment& segment, const std::string& why) {
    for (const vgf::Slot& slot : segment.outputs) unproven_.try_emplace(storage_[slot.resource], why);
  }

  // An output in whose memory no segment writes is an input of the model.
  void compare_with_input(std::uint32_t resource) {
    const auto storage = storage_[resource];
    const bool is_written = std::ranges::any_of(file_.segments, [&](const vgf::Segment& segment) {
      return std::ranges::any_of(segment.outputs,
                                 [&](const vgf::Slot& slot) { return storage_[slot.resource] == storage; });
    });
    const auto input =
        std::ranges::find_if(file_.inputs, [&](const vgf::Slot& slot) { return storage_[slot.resource] == storage; });
    if (is_written || input == file_.inputs.end()) return;
    const auto got = values_.find(resource), wanted = values_.find(input->resource);
    const auto elements = elements_of(file_.resources[resource], alone_.shapes[resource]);
    if (got == values_.end() || wanted == values_.end() || !elements) {
      unproven_.try_emplace(storage, "its value is not known after the run");
      return;
    }
    tensor::Comparison equal;
    if (got->second.size() == wanted->second.size())
      equal = tensor::compare(tensor::ElementType::U8, got->second, wanted->second,
                              tensor::Shape{static_cast<std::int64_t>(got->second.size())});
    else
      equal.mismatches = got->second.size();
    const std::uint64_t size = std::max<std::uint64_t>(tensor::size_of(elements->type), 1);
    const std::uint64_t wrong = (equal.mismatches + size - 1) / size;
    comparison_.outputs.push_back({.segment = 0,
                                   .name = name_of(resource),
                                   .values = {.type = {data_type_of(elements->type), elements->shape},
                                              .elements = got->second.size() / size,
                                              .different = wrong,
                                              .wrong = wrong}});
    compared_.insert(resource);
  }

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
  const Standalone& alone_;
  const ModelValues& values_;
  const Intermediates* intermediates_;
  const GraphRunner& other_;
  ModelComparison comparison_;
  std::set<std::uint32_t> compared_;  // resources
  std::vector<std::uint32_t> storage_ = vgf::storage_of(file_);
  std::map<std::uint32_t, std::string> unproven_;  // why, by storage
};

}  // namespace

Result<ModelComparison> compare_model(const vgf::File& file, const Standalone& alone, const ModelValues& values,
                                      const Intermediates* intermediates, const GraphRunner& other) {
  ModelComparer comparer(file, alone, values, intermediates, other);
  for (const SegmentSteps& steps : alone.segments) {
    if (Result<> done = comparer.segment(steps); !done) return fail(std::move(done.error()));
  }
  return comparer.take();
}

}  // namespace slipway::model
