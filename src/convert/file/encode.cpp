// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "convert/file/encode.hpp"

#include <algorithm>
#include <set>
#include <unordered_map>

#include "base/format.hpp"
#include "convert/file/constants.hpp"
#include "convert/file/formats.hpp"
#include "tosa/vulkan_format.hpp"

namespace slipway::convert {
namespace {

using tosa::index;
using tosa::ValueId;
using vgf::Category;

constexpr std::uint32_t kComputeStage = 0x20;  // VK_SHADER_STAGE_COMPUTE_BIT

class FileEncoder {
 public:
  FileEncoder(const tosa::Graph& graph, std::span<const ValueId> numbered, const DeferredTransposes& deferred,
              const Segments& segments, const Shaders& shaders, const ModelNames& names,
              const tosa::SpirvOptions& options)
      : graph_(graph),
        numbered_(numbered),
        deferred_(deferred),
        segments_(segments),
        shaders_(shaders),
        names_(names),
        options_(options),
        views_(make_views(graph, segments, shaders)),
        parts_(graph.values.size()) {
    for (std::size_t i = 0; i < parts_.size(); ++i) parts_[i].resize(views_.of_value[i].size());
    for (std::size_t i = 0; i < segments.returned.size(); ++i) positions_[index(segments.returned[i])] = i;
  }

  Result<vgf::Encoder> run() {
    constants();
    for (std::size_t i = 0; i < graph_.inputs.size(); ++i) slot(graph_.inputs[i], views_.canonical_input[i]);
    uses_of_inputs();
    for (const SegmentUses& uses : views_.segments) {
      for (const Use& use : uses.inputs) {
        if (graph_[use.value].kind != tosa::ValueKind::Input) add(use);
      }
      for (const Use& use : uses.outputs) {
        if (!is_output(use)) add(use);
      }
    }
    for (std::size_t i = 0; i < segments_.returned.size(); ++i) slot(segments_.returned[i], views_.canonical_output[i]);
    outputs_where_produced();
    for (std::size_t s = 0; s < segments_.segments.size(); ++s) segment(s);
    model();
    if (problems_.has_errors()) return fail(problems_.release());
    return std::move(encoder_);
  }

 private:
  // The encoded resource and slots of one view of a value.
  struct Part {
    std::optional<vgf::ResourceRef> resource;
    std::optional<vgf::SlotRef> slot;
    std::map<std::uint32_t, vgf::SlotRef> descriptors;  // by binding
  };

  const View& view_of(ValueId value, std::size_t view) const { return views_.of_value[index(value)][view]; }
  bool is_output(const Use& use) const { return view_of(use.value, use.view).category == Category::Output; }

  void constants() {
    const std::vector<bool> is_weights = weights(graph_), is_unsigned = unsigned_values(graph_);
    for (const ValueId value : numbered_) {
      const tosa::TensorType& type = graph_[value].type;
      const vgf::ResourceRef resource =
          encoder_.add_resource({.category = Category::Constant,
                                 .descriptor_type = std::nullopt,
                                 .format = tosa::tensor_format(type.data, is_unsigned[index(value)]),
                                 .shape = type.shape.empty() ? tensor::Shape{1} : type.shape});
      std::function<void(const vgf::Encoder::Put&)> produce = [&constant = *graph_.constant(value),
                                                               &type](const vgf::Encoder::Put& put) {
        put_constant(constant, type, put);
      };
      if (const auto transpose = deferred_.find(graph_[value].source); transpose != deferred_.end())
        produce = [constant = transpose->second, &type](const vgf::Encoder::Put& put) {
          put_constant(constant, type, put);
        };
      constants_.push_back(encoder_.add_constant(resource, constant_bytes(type), std::move(produce),
                                                 sparsity_of(graph_, value, is_weights[index(value)], deferred_)));
    }
  }

  vgf::ResourceRef resource(ValueId value, std::size_t view) {
    Part& part = parts_[index(value)][view];
    if (part.resource) return *part.resource;
    const View& of = view_of(value, view);
    tensor::Shape shape = graph_[value].type.shape;
    // Rank 0 is kept for inputs and outputs of the model.
    if (shape.empty() && graph_[value].kind != tosa::ValueKind::Input && !positions_.contains(index(value)))
      shape = {1};
    part.resource = encoder_.add_resource({.category = of.category,
                                           .descriptor_type = of.type,
                                           .format = of.format,
                                           .shape = std::move(shape),
                                           .sampler = of.sampler,
                                           .alias_group = views_.alias_group[index(value)]});
    return *part.resource;
  }

  vgf::SlotRef slot(ValueId value, std::size_t view) {
    const vgf::ResourceRef at = resource(value, view);
    Part& part = parts_[index(value)][view];
    const bool output = view_of(value, view).category == Category::Output;
    if (!part.slot) part.slot = encoder_.add_slot(output ? segments_.output_id(value) : segments_.id(value), at);
    return *part.slot;
  }

  vgf::SlotRef descriptor(const Use& use) {
    if (!use.descriptor) return slot(use.value, use.view);
    const vgf::ResourceRef at = resource(use.value, use.view);
    auto& made = parts_[index(use.value)][use.view].descriptors;
    const auto [known, is_new] = made.try_emplace(use.descriptor->binding);
    if (is_new) known->second = encoder_.add_slot(use.descriptor->binding, at);
    return known->second;
  }

  void add(const Use& use) {
    slot(use.value, use.view);
    descriptor(use);
  }

  void uses_of_inputs() {
    std::vector<std::vector<const Use*>> uses(graph_.inputs.size());
    for (const SegmentUses& segment : views_.segments) {
      for (const Use& use : segment.inputs) {
        const tosa::Value& value = graph_[use.value];
        if (value.kind == tosa::ValueKind::Input) uses[value.source].push_back(&use);
      }
    }
    for (const auto& of_input : uses) {
      for (const Use* use : of_input) add(*use);
    }
  }

  void outputs_where_produced() {
    std::map<std::size_t, const Use*> producers;
    for (const SegmentUses& segment : views_.segments) {
      for (const Use& use : segment.outputs) {
        if (is_output(use)) producers[index(use.value)] = &use;
      }
    }
    for (const ValueId value : segments_.returned) {
      if (const auto producer = producers.find(index(value)); producer != producers.end()) add(*producer->second);
    }
  }

  // --- segments ---

  // The slots of a list of uses, each once.
  std::vector<vgf::SlotRef> slots(const std::vector<Use>& uses) {
    std::vector<vgf::SlotRef> refs;
    std::set<vgf::SlotRef> seen;
    for (const Use& use : uses) {
      const vgf::SlotRef ref = slot(use.value, use.view);
      if (seen.insert(ref).second) refs.push_back(ref);
    }
    return refs;
  }

  void segment(std::size_t s) {
    const Segment& of = segments_.segments[s];
    const SegmentUses& uses = views_.segments[s];
    const std::vector<vgf::SlotRef> inputs = slots(uses.inputs), outputs = slots(uses.outputs);
    if (of.kind == PartitionKind::Compute) return compute_segment(s, inputs, outputs);

    const tosa::Graph part = segment_graph(graph_, segments_, s);
    auto words = tosa::write_graph_module(part, options_);
    if (!words) return problems_.add(std::move(words.error()));
    const vgf::ModuleRef module = encoder_.add_module(
        {.kind = vgf::ModuleKind::Graph, .name = part.name, .entry_point = part.name, .words = *words});
    std::vector<vgf::SlotRef> bound = inputs;
    bound.insert(bound.end(), outputs.begin(), outputs.end());
    const vgf::SetRef set = encoder_.add_set(bound);
    std::set<std::uint32_t> ids;
    for (const tosa::Constant& constant : part.constants) {
      if (constant.graph_constant) ids.insert(*constant.graph_constant);
    }
    std::vector<vgf::ConstantRef> constants;
    for (const std::uint32_t id : ids) constants.push_back(constants_[id]);
    encoder_.add_segment({.module = module,
                          .name = formatted("graph_segment_{}", graph_segments_++),
                          .sets = std::span(&set, 1),
                          .inputs = inputs,
                          .outputs = outputs,
                          .constants = constants});
  }

  void compute_segment(std::size_t s, std::span<const vgf::SlotRef> inputs, std::span<const vgf::SlotRef> outputs) {
    const Shader& shader = shaders_.at(segments_.segments[s].nodes[0]);
    const vgf::ModuleRef module = encoder_.add_module({.kind = vgf::ModuleKind::Compute,
                                                       .name = module_name(shader.declared.name, s),
                                                       .entry_point = shader.declared.entry_point,
                                                       .code = shader.module.kind,
                                                       .words = shader.module.words,
                                                       .text = shader.module.text});
    std::map<std::uint32_t, std::vector<vgf::SlotRef>> by_set;
    for (const auto* list : {&views_.segments[s].inputs, &views_.segments[s].outputs}) {
      for (const Use& use : *list) by_set[use.descriptor->set].push_back(descriptor(use));
    }
    std::vector<vgf::SetRef> sets;
    for (const auto& [number, bound] : by_set) sets.push_back(encoder_.add_set(bound, number));
    std::vector<vgf::RangeRef> ranges;
    if (const std::uint32_t bytes = shader.declared.push_constant_bytes)
      ranges.push_back(encoder_.add_push_constants({kComputeStage, 0, bytes}));
    encoder_.add_segment({.module = module,
                          .name = formatted("compute_segment_{}", compute_segments_++),
                          .sets = sets,
                          .inputs = inputs,
                          .outputs = outputs,
                          .dispatch = shader.declared.workgroups,
                          .push_constants = ranges});
  }

  // A unique name for each module; the names of graph modules are reserved first.
  std::string module_name(const std::string& wanted, std::size_t s) {
    const auto is_graphs = [&](std::string_view name) {
      for (std::size_t i = 0; i < segments_.segments.size(); ++i) {
        if (segments_.segments[i].kind == PartitionKind::Graph && name == formatted("graph_partition_{}", i))
          return true;
      }
      return false;
    };
    std::string name = wanted.empty() ? formatted("graph_partition_{}", s) : wanted;
    if (modules_.contains(name) || (name.starts_with("graph_partition_") && is_graphs(name)))
      name = formatted("{}_{}", name, s);
    while (!modules_.insert(name).second) name += '_';
    return name;
  }

  void model() {
    std::vector<vgf::SlotRef> inputs, outputs;
    for (std::size_t i = 0; i < graph_.inputs.size(); ++i)
      inputs.push_back(slot(graph_.inputs[i], views_.canonical_input[i]));
    for (const ValueId output : graph_.outputs)
      outputs.push_back(slot(output, views_.canonical_output[positions_.at(index(output))]));
    const std::vector<std::string_view> input_names(names_.inputs.begin(), names_.inputs.end());
    const std::vector<std::string_view> output_names(names_.outputs.begin(), names_.outputs.end());
    encoder_.set_model(inputs, input_names, outputs, output_names);
  }

  const tosa::Graph& graph_;
  std::span<const ValueId> numbered_;
  const DeferredTransposes& deferred_;
  const Segments& segments_;
  const Shaders& shaders_;
  const ModelNames& names_;
  const tosa::SpirvOptions& options_;
  Views views_;
  std::vector<std::vector<Part>> parts_;                    // by value and view
  std::unordered_map<std::size_t, std::size_t> positions_;  // of values that the model returns
  std::vector<vgf::ConstantRef> constants_;
  std::set<std::string, std::less<>> modules_;
  int graph_segments_ = 0, compute_segments_ = 0;
  vgf::Encoder encoder_;
  Diagnostics problems_;
};

}  // namespace

Result<vgf::Encoder> encode(const tosa::Graph& graph, std::span<const ValueId> numbered,
                            const DeferredTransposes& deferred, const Segments& segments, const Shaders& shaders,
                            const ModelNames& names, const tosa::SpirvOptions& options) {
  return FileEncoder(graph, numbered, deferred, segments, shaders, names, options).run();
}

}  // namespace slipway::convert
