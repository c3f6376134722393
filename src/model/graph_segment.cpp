// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "model/graph_segment.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "base/format.hpp"
#include "spirv/module.hpp"
#include "tosa/check/bind_constants.hpp"
#include "tosa/check/bound_shapes.hpp"
#include "tosa/check/verify.hpp"
#include "tosa/read/read_spirv.hpp"
#include "tosa/vulkan_format.hpp"
#include "vgf/check.hpp"

namespace slipway::model {
namespace {

class Reader {
 public:
  Reader(const vgf::File& file, const vgf::Segment& segment, Diagnostics& diagnostics)
      : file_(file), segment_(segment), diagnostics_(diagnostics) {}

  std::optional<tosa::Graph> run(const spirv::Words* instead) {
    const std::size_t before = diagnostics_.errors();
    const vgf::Module& module = file_.modules[segment_.module];
    if (module.words.empty() && !instead) {
      error(DiagnosticKind::FileMismatch, formatted("module `{}` has no code", module.name));
      return std::nullopt;
    }
    const std::string name = formatted("{} module `{}`", file_.name, module.name);
    const auto words = diagnostics_.take(instead ? spirv::read_module(spirv::Words(*instead), name)
                                                 : spirv::read_module(module.words, name));
    if (!words) return std::nullopt;
    std::optional<tosa::Graph> graph = tosa::read_graph(*words, module.entry_point, diagnostics_);
    if (!graph) return std::nullopt;
    for (const vgf::DescriptorSet& set : segment_.sets) {
      for (const vgf::Slot& slot : set.slots) bound_.try_emplace({set.index, slot.binding}, slot.resource);
    }
    merge(*graph, graph->inputs, graph->input_bindings, "input");
    merge(*graph, graph->outputs, graph->output_bindings, "output");
    constants(*graph);
    if (diagnostics_.errors() == before) tosa::verify(*graph, diagnostics_);
    if (diagnostics_.errors() != before) return std::nullopt;
    return graph;
  }

 private:
  Diagnostic& error(DiagnosticKind kind, const std::string& text) {
    return diagnostics_.error(kind, file_.location(segment_.range), formatted("segment `{}`: {}", segment_.name, text));
  }

  // The file has no arrays of descriptors.
  const vgf::Resource* bound(const tosa::Binding& binding) const {
    if (binding.element != 0) return nullptr;
    const auto found = bound_.find({binding.set, binding.binding});
    return found == bound_.end() ? nullptr : &file_.resources[found->second];
  }

  void merge(tosa::Graph& graph, std::span<const tosa::ValueId> values, std::span<const tosa::Binding> bindings,
             std::string_view what) {
    for (std::size_t i = 0; i < values.size(); ++i) {
      const vgf::Resource* resource = bound(bindings[i]);
      const tosa::TensorType& type = graph[values[i]].type;
      if (!resource) {
        error(DiagnosticKind::BindingMismatch,
              formatted("{} {} of the graph is at {}, which the segment does not bind", what, i, text_of(bindings[i])));
        continue;
      }
      const auto element = vgf::element_type(resource->format);
      if (!element || !tosa::is_stored_as(type.data, *element)) {
        error(DiagnosticKind::TypeMismatch,
              formatted("{} {} of the graph is {}, and the resource bound to it has the format {}", what, i,
                        tosa::text_of(type), vk::name_of(resource->format)));
      }
      tosa::bind_shape(graph, values[i], resource->shape,
                       formatted("segment `{}`: {} {} of the graph", segment_.name, what, i),
                       file_.location(segment_.range), diagnostics_);
    }
  }

  void constants(tosa::Graph& graph) {
    const auto constant_of = [&](std::uint32_t id) -> const vgf::Constant* {
      const auto found = std::ranges::find(segment_.constant_ids, id);
      if (found == segment_.constant_ids.end()) return nullptr;
      return &file_.constants[segment_.constants[static_cast<std::size_t>(found - segment_.constant_ids.begin())]];
    };
    for (const tosa::Constant& constant : graph.constants) {
      const vgf::Constant* data = constant.graph_constant ? constant_of(*constant.graph_constant) : nullptr;
      if (!data) continue;
      const vgf::Resource& resource = file_.resources[data->resource];
      const tosa::TensorType& type = graph[constant.value].type;
      const auto element = vgf::element_type(resource.format);
      if (element && tosa::is_stored_as(type.data, *element)) continue;
      error(DiagnosticKind::TypeMismatch,
            formatted("graph constant {} is {}, and the constant bound to it {} {}", *constant.graph_constant,
                      tosa::text_of(type), vk::name_of(resource.format), tensor::shape_text(resource.shape)));
    }
    tosa::bind_constants(
        graph,
        [&](std::uint32_t id) -> std::optional<tosa::BoundConstant> {
          const vgf::Constant* constant = constant_of(id);
          if (!constant) return std::nullopt;
          return tosa::BoundConstant(constant->data, file_.resources[constant->resource].shape);
        },
        diagnostics_);
  }

  const vgf::File& file_;
  const vgf::Segment& segment_;
  Diagnostics& diagnostics_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> bound_;  // set, binding: the first resource
};

}  // namespace

std::optional<tosa::Graph> read_graph_segment(const vgf::File& file, std::size_t segment, Diagnostics& diagnostics,
                                              const spirv::Words* words) {
  return Reader(file, file.segments[segment], diagnostics).run(words);
}

void check_model(const vgf::File& file, Diagnostics& diagnostics) {
  vgf::check_vgf(file, diagnostics);
  for (std::size_t i = 0; i < file.segments.size(); ++i) {
    const vgf::Segment& segment = file.segments[i];
    // The application supplies the code of a placeholder.
    if (segment.kind == vgf::ModuleKind::Graph && !file.modules[segment.module].is_placeholder())
      read_graph_segment(file, i, diagnostics);
  }
}

}  // namespace slipway::model
