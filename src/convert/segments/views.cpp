// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "convert/segments/views.hpp"

#include <algorithm>

#include "convert/file/formats.hpp"
#include "tosa/vulkan_format.hpp"

namespace slipway::convert {
namespace {

using tosa::index;
using tosa::ValueId;
using tosa::ValueKind;

class ViewBuilder {
 public:
  ViewBuilder(const tosa::Graph& graph, const Segments& segments, const Shaders& shaders)
      : graph_(graph), segments_(segments), shaders_(shaders), unsigned_(unsigned_values(graph)) {}

  Views run() {
    made_.of_value.resize(graph_.values.size());
    returned_.resize(graph_.values.size());
    for (const ValueId value : segments_.returned) returned_[index(value)] = true;
    // Producers come before users: a producer's view is the first of its category.
    made_.segments.resize(segments_.segments.size());
    for (std::size_t s = 0; s < segments_.segments.size(); ++s) {
      inputs(s);
      outputs(s);
    }
    whole_model();
    aliases();
    return std::move(made_);
  }

 private:
  std::size_t view(ValueId value, const View& wanted) {
    std::vector<View>& views = made_.of_value[index(value)];
    const auto known = std::ranges::find(views, wanted);
    if (known != views.end()) return static_cast<std::size_t>(known - views.begin());
    views.push_back(wanted);
    return views.size() - 1;
  }

  View tensor_view(ValueId value, vgf::Category category) const {
    const bool is_unsigned = category != vgf::Category::Intermediate && unsigned_[index(value)];
    return {category, vk::DescriptorType::TENSOR_ARM, tosa::tensor_format(graph_[value].type.data, is_unsigned), {}};
  }
  static View shader_view(const ShaderBinding& binding, vgf::Category category) {
    return {category, binding.type, binding.format, binding.sampler};
  }

  vgf::Category read_as(ValueId value) const {
    return graph_[value].kind == ValueKind::Input ? vgf::Category::Input : vgf::Category::Intermediate;
  }
  vgf::Category written_as(ValueId value) const {
    return returned_[index(value)] ? vgf::Category::Output : vgf::Category::Intermediate;
  }

  void inputs(std::size_t s) {
    const Segment& segment = segments_.segments[s];
    std::vector<Use>& uses = made_.segments[s].inputs;
    if (segment.kind == PartitionKind::Graph) {
      for (const ValueId value : segment.inputs)
        uses.push_back({value, view(value, tensor_view(value, read_as(value))), nullptr});
    } else {
      const tosa::Node& node = graph_.nodes[segment.nodes[0]];
      const Shader& shader = shaders_.at(segment.nodes[0]);
      for (std::size_t i = 0; i < node.inputs.size(); ++i) {
        const ValueId value = node.inputs[i];
        const ShaderBinding& binding = shader.declared.inputs[i];
        uses.push_back({value, view(value, shader_view(binding, read_as(value))), &binding});
      }
    }
    std::ranges::stable_sort(uses, {}, [&](const Use& use) {
      const tosa::Value& value = graph_[use.value];
      return value.kind == ValueKind::Input ? value.source : SIZE_MAX;
    });
  }

  void outputs(std::size_t s) {
    const Segment& segment = segments_.segments[s];
    std::vector<Use>& uses = made_.segments[s].outputs;
    for (const ValueId value : segment.results) {
      if (segment.kind == PartitionKind::Graph) {
        uses.push_back({value, view(value, tensor_view(value, written_as(value))), nullptr});
        continue;
      }
      const tosa::Node& node = graph_.nodes[segment.nodes[0]];
      const auto position = static_cast<std::size_t>(std::ranges::find(node.outputs, value) - node.outputs.begin());
      const ShaderBinding& binding = shaders_.at(segment.nodes[0]).declared.outputs[position];
      uses.push_back({value, view(value, shader_view(binding, written_as(value))), &binding});
    }
    std::ranges::rotate(uses, uses.begin() + static_cast<std::ptrdiff_t>(segment.returned));
  }

  std::size_t first_of(ValueId value, vgf::Category category) {
    const std::vector<View>& views = made_.of_value[index(value)];
    const auto known = std::ranges::find(views, category, &View::category);
    return known == views.end() ? view(value, tensor_view(value, category))
                                : static_cast<std::size_t>(known - views.begin());
  }

  // Unused inputs and inputs that are returned unchanged have only the view of the model.
  void whole_model() {
    for (const ValueId value : graph_.inputs) made_.canonical_input.push_back(first_of(value, vgf::Category::Input));
    for (const ValueId value : segments_.returned)
      made_.canonical_output.push_back(first_of(value, vgf::Category::Output));
  }

  void aliases() {
    made_.alias_group.resize(graph_.values.size());
    std::uint32_t next = 0;
    const auto give = [&](ValueId value) {
      if (made_.of_value[index(value)].size() > 1 && !made_.alias_group[index(value)] &&
          !segments_.output_ids.contains(index(value)))
        made_.alias_group[index(value)] = next++;
    };
    std::ranges::for_each(graph_.inputs, give);
    std::vector<ValueId> between;
    for (std::size_t i = 0; i < graph_.values.size(); ++i) {
      if (segments_.logical_ids[i] && graph_.values[i].kind != ValueKind::Input && !returned_[i])
        between.push_back(static_cast<ValueId>(i));
    }
    std::ranges::sort(between, {}, [&](ValueId value) { return segments_.id(value); });
    std::ranges::for_each(between, give);
    std::ranges::for_each(segments_.returned, give);
  }

  const tosa::Graph& graph_;
  const Segments& segments_;
  const Shaders& shaders_;
  std::vector<bool> unsigned_, returned_;
  Views made_;
};

}  // namespace

Views make_views(const tosa::Graph& graph, const Segments& segments, const Shaders& shaders) {
  return ViewBuilder(graph, segments, shaders).run();
}

}  // namespace slipway::convert
