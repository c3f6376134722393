// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "convert/segments/merge_segments.hpp"

#include <algorithm>
#include <map>

#include "base/format.hpp"
#include "base/text/base64.hpp"
#include "convert/segments/partition.hpp"
#include "json/writer.hpp"
#include "tensor/format.hpp"
#include "vgf/check.hpp"

namespace slipway::convert {
namespace {

using tosa::DataType;
using tosa::index;
using tosa::ValueId;

// The element type that a graph uses for a format.
std::optional<DataType> data_type(vk::Format format) {
  auto element = vgf::element_type(format);
  if (!element) {
    const tensor::FormatInfo* info = tensor::find_format(format);
    if (!info || info->packed || info->is_block()) return std::nullopt;
    element = info->component;
  }
  using enum tensor::ElementType;
  constexpr std::pair<tensor::ElementType, DataType> kTypes[] = {
      {Bool, DataType::Bool},     {I8, DataType::I8},        {U8, DataType::I8},     {I16, DataType::I16},
      {U16, DataType::I16},       {I32, DataType::I32},      {U32, DataType::I32},   {I64, DataType::I48},
      {U64, DataType::I48},       {F16, DataType::F16},      {BF16, DataType::BF16}, {F32, DataType::F32},
      {F8E4M3, DataType::F8E4M3}, {F8E5M2, DataType::F8E5M2}};
  const auto found = std::ranges::find(kTypes, *element, &std::pair<tensor::ElementType, DataType>::first);
  return found == std::end(kTypes) ? std::nullopt : std::optional(found->second);
}

class SegmentMerger {
 public:
  SegmentMerger(const vgf::File& file, const SegmentReader& read_segment, Diagnostics& diagnostics)
      : file_(file), read_segment_(read_segment), diagnostics_(diagnostics), before_(diagnostics.errors()) {}

  std::optional<tosa::Model> run() {
    model_.file = file_.name;
    graph_.name = "main";
    if (!read_graphs()) return std::nullopt;
    inputs();
    graph_constants();
    for (std::size_t s = 0; s < file_.segments.size() && ok(); ++s) {
      if (graphs_[s])
        graph_segment(s, *graphs_[s]);
      else
        shader(s);
    }
    if (ok()) outputs();
    return ok() ? std::optional(std::move(model_)) : std::nullopt;
  }

 private:
  bool ok() const { return diagnostics_.errors() == before_; }
  void error(DiagnosticKind kind, const vgf::Segment& segment, const std::string& text) {
    diagnostics_.error(kind, file_.location(segment.range), formatted("segment `{}`: {}", segment.name, text));
  }

  bool read_graphs() {
    graphs_.resize(file_.segments.size());
    for (std::size_t s = 0; s < file_.segments.size(); ++s) {
      if (file_.segments[s].kind != vgf::ModuleKind::Graph) continue;
      graphs_[s] = read_segment_(s);
      if (!graphs_[s]) return false;
      const tosa::Graph& graph = *graphs_[s];
      graph_.storage.insert(graph_.storage.end(), graph.storage.begin(), graph.storage.end());
      const auto note = [&](std::span<const ValueId> values, std::span<const tosa::Binding> bindings) {
        for (std::size_t i = 0; i < values.size(); ++i) {
          if (const auto id = logical(file_.segments[s], bindings[i])) types_.try_emplace(*id, graph[values[i]].type);
        }
      };
      note(graph.inputs, graph.input_bindings);
      note(graph.outputs, graph.output_bindings);
    }
    return ok();
  }

  // The id of the value that a descriptor binds: its resource, or the first one of its alias group. The numbers of
  // slots may be local to a segment.
  std::uint32_t id_of(std::uint32_t resource) const {
    const auto& group = file_.resources[resource].alias_group;
    if (!group) return resource;
    return static_cast<std::uint32_t>(std::ranges::find(file_.resources, group, &vgf::Resource::alias_group) -
                                      file_.resources.begin());
  }
  std::optional<std::uint32_t> logical(const vgf::Segment& segment, const tosa::Binding& binding) const {
    for (const vgf::DescriptorSet& set : segment.sets) {
      if (set.index != binding.set) continue;
      for (const vgf::Slot& slot : set.slots) {
        if (slot.binding == binding.binding) return logical(segment, slot.resource);
      }
    }
    return std::nullopt;
  }
  std::optional<std::uint32_t> logical(const vgf::Segment& segment, std::uint32_t resource) const {
    for (const auto* list : {&segment.inputs, &segment.outputs}) {
      if (std::ranges::contains(*list, resource, &vgf::Slot::resource)) return id_of(resource);
    }
    return std::nullopt;
  }

  // The type that a graph has for the value, otherwise that of the resource.
  std::optional<tosa::TensorType> type_of(std::uint32_t id, const vgf::Resource& resource) {
    if (const auto known = types_.find(id); known != types_.end()) return known->second;
    const auto type = data_type(resource.format);
    if (!type) {
      diagnostics_.error(DiagnosticKind::Unsupported, file_.location(resource.range),
                         formatted("tensors cannot have elements of {}", vk::name_of(resource.format)));
      return std::nullopt;
    }
    tosa::TensorType made{*type, resource.shape};
    for (std::int64_t& extent : made.shape) extent = std::max(extent, tosa::kDynamic);
    return made;
  }

  void inputs() {
    for (std::size_t i = 0; i < file_.inputs.size(); ++i) {
      const vgf::Slot& slot = file_.inputs[i];
      const std::string name(vgf::input_name(file_, i));
      const auto type = type_of(id_of(slot.resource), file_.resources[slot.resource]);
      values_[id_of(slot.resource)] = graph_.add_input(type.value_or(tosa::TensorType{}), name);
      if (!name.empty()) model_.input_names.push_back(name);
    }
    if (model_.input_names.size() != file_.inputs.size()) model_.input_names.clear();
  }

  // In the order of their ids, each once.
  void graph_constants() {
    std::map<std::uint32_t, std::pair<const tosa::Graph*, const tosa::Constant*>> all;
    for (const auto& graph : graphs_) {
      for (std::size_t c = 0; graph && c < graph->constants.size(); ++c) {
        if (graph->constants[c].graph_constant)
          all.try_emplace(*graph->constants[c].graph_constant, &*graph, &graph->constants[c]);
      }
    }
    for (const auto& [id, found] : all) {
      const auto& [graph, constant] = found;
      constants_[id] = graph_.add_constant((*graph)[constant->value].type, constant->data, constant->splat);
    }
  }

  void graph_segment(std::size_t s, const tosa::Graph& part) {
    const vgf::Segment& segment = file_.segments[s];
    std::vector<ValueId> moved(part.values.size(), tosa::kNoValue);
    for (std::size_t i = 0; i < part.inputs.size(); ++i) {
      const auto value = value_of(segment, logical(segment, part.input_bindings[i]));
      if (!value) return;
      moved[index(part.inputs[i])] = *value;
    }
    for (const tosa::Constant& constant : part.constants) {
      moved[index(constant.value)] =
          constant.graph_constant ? constants_[*constant.graph_constant]
                                  : graph_.add_constant(part[constant.value].type, constant.data, constant.splat);
    }
    for (const tosa::Node& of : part.nodes) {
      tosa::Node node = of;
      for (ValueId& input : node.inputs) input = moved[index(input)];
      for (ValueId& output : node.outputs) {
        const ValueId made{static_cast<std::uint32_t>(graph_.values.size())};
        graph_.values.push_back({part[output].type, tosa::ValueKind::Result,
                                 static_cast<std::uint32_t>(graph_.nodes.size()), part[output].name});
        moved[index(output)] = made;
        output = made;
      }
      graph_.nodes.push_back(std::move(node));
    }
    for (std::size_t i = 0; i < part.outputs.size(); ++i) {
      if (const auto id = logical(segment, part.output_bindings[i])) values_[*id] = moved[index(part.outputs[i])];
    }
  }

  std::optional<ValueId> value_of(const vgf::Segment& segment, std::optional<std::uint32_t> id) {
    const auto known = id ? values_.find(*id) : values_.end();
    if (known != values_.end()) return known->second;
    error(DiagnosticKind::FileMismatch, segment,
          id ? formatted("it reads resource {}, which no earlier segment writes", *id)
             : std::string("it binds a resource that is neither an input nor an output of it"));
    return std::nullopt;
  }

  // --- shaders ---

  void shader(std::size_t s) {
    const vgf::Segment& segment = file_.segments[s];
    const vgf::Module& module = file_.modules[segment.module];
    std::vector<ValueId> inputs;
    std::vector<tosa::TensorType> types;
    std::vector<std::uint32_t> ids;
    json::Writer out(json::kCompact);
    out.object([&] {
      out.member("entry_point", module.entry_point);
      out.key("workgroup_sizes").array([&] {
        for (const std::uint32_t count : segment.dispatch.value_or(std::array<std::uint32_t, 3>{1, 1, 1}))
          out.value(count);
      });
      if (module.code != vgf::CodeKind::None) {
        const bool words = module.code == vgf::CodeKind::Spirv;
        out.member("shader_language", vgf::name_of(module.code));
        out.member("shader_code", words ? to_base64(module.words) : std::string(module.text));
      }
      std::uint32_t pushed = 0;
      for (const vgf::PushConstantRange& range : segment.push_constants)
        pushed = std::max(pushed, range.offset + range.size);
      if (pushed != 0) out.member("push_constants", formatted("values: {}", pushed));
      for (const vgf::DescriptorSet& set : segment.sets) {
        for (const vgf::Slot& slot : set.slots) {
          const auto id = logical(segment, slot.resource);
          const vgf::Resource& resource = file_.resources[slot.resource];
          if (std::ranges::contains(segment.outputs, slot.resource, &vgf::Slot::resource)) {
            const auto type = id ? type_of(*id, resource) : std::nullopt;
            if (!type) return;
            binding(out, formatted("output_{}", types.size()), set.index, slot, resource);
            types.push_back(*type);
            ids.push_back(*id);
          } else {
            const auto value = value_of(segment, id);
            if (!value) return;
            binding(out, formatted("input_{}", inputs.size()), set.index, slot, resource);
            inputs.push_back(*value);
          }
        }
      }
    });
    if (!ok()) return;
    const std::vector<ValueId> results = graph_.add_node(tosa::Op::CUSTOM, std::move(inputs), {}, std::move(types));
    tosa::Node& node = graph_.nodes.back();
    node.location = file_.location(segment.range);
    node.name = segment.name;
    node.custom =
        std::make_shared<tosa::CustomOperator>(std::string(kShaderDomain), std::string(module.name), out.text());
    for (std::size_t i = 0; i < results.size(); ++i) values_[ids[i]] = results[i];
  }

  static void binding(json::Writer& out, const std::string& prefix, std::uint32_t set, const vgf::Slot& slot,
                      const vgf::Resource& resource) {
    out.member(prefix + "_vkformat", vk::name_of(resource.format));
    out.member(prefix + "_vkdescriptortype",
               vk::name_of(resource.descriptor_type.value_or(vk::DescriptorType::TENSOR_ARM)));
    out.member(prefix + "_binding", slot.binding);
    out.member(prefix + "_descriptorset", set);
    if (!resource.sampler) return;
    out.key(prefix + "_sampler").object([&] {
      out.member("min_filter", vk::name_of(resource.sampler->min_filter));
      out.member("mag_filter", vk::name_of(resource.sampler->mag_filter));
      out.member("address_mode_u", vk::name_of(resource.sampler->address_mode_u));
      out.member("address_mode_v", vk::name_of(resource.sampler->address_mode_v));
      out.member("border_color", vk::name_of(resource.sampler->border_color));
    });
  }

  void outputs() {
    for (std::size_t i = 0; i < file_.outputs.size(); ++i) {
      auto known = values_.find(id_of(file_.outputs[i].resource));
      if (known == values_.end()) {
        // An input that is returned may have a resource of its own and the same number.
        const auto input = std::ranges::find(file_.inputs, file_.outputs[i].binding, &vgf::Slot::binding);
        if (input != file_.inputs.end()) known = values_.find(id_of(input->resource));
      }
      if (known == values_.end()) {
        diagnostics_.error(DiagnosticKind::FileMismatch, file_.location(file_.outputs[i]),
                           formatted("output {} of the model is not produced by any segment", i));
        continue;
      }
      graph_.outputs.push_back(known->second);
      if (const std::string_view name = vgf::output_name(file_, i); !name.empty())
        model_.output_names.emplace_back(name);
    }
    if (model_.output_names.size() != file_.outputs.size()) model_.output_names.clear();
  }

  const vgf::File& file_;
  const SegmentReader& read_segment_;
  Diagnostics& diagnostics_;
  const std::size_t before_;
  tosa::Model model_;
  tosa::Graph& graph_ = model_.graph;
  std::vector<std::optional<tosa::Graph>> graphs_;   // by segment
  std::map<std::uint32_t, tosa::TensorType> types_;  // by id, if a graph has the value
  std::map<std::uint32_t, ValueId> values_;          // by id
  std::map<std::uint32_t, ValueId> constants_;       // by graph constant
};

}  // namespace

std::optional<tosa::Model> merge_segments(const vgf::File& file, const SegmentReader& read_segment,
                                          Diagnostics& diagnostics) {
  return SegmentMerger(file, read_segment, diagnostics).run();
}

}  // namespace slipway::convert
