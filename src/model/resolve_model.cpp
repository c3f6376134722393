// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "model/resolve_model.hpp"

#include <algorithm>
#include <map>

#include "base/format.hpp"
#include "tosa/check/shapes.hpp"
#include "tosa/check/verify.hpp"
#include "vgf/check.hpp"

namespace slipway::model {
namespace {

bool is_known(tensor::ShapeView shape) {
  return std::ranges::none_of(shape, [](std::int64_t extent) { return extent < 0; });
}

class Resolver {
 public:
  Resolver(const vgf::File& file, Diagnostics& diagnostics)
      : file_(file), storage_(vgf::storage_of(file)), diagnostics_(diagnostics) {
    for (std::size_t i = 0; i < file.resources.size(); ++i) {
      resolved_.shapes.push_back(file.resources[i].shape);
      if (vgf::is_dynamic(file.resources[i])) open_[storage_[i]].push_back(i);
    }
  }

  std::optional<ResolvedModel> run(std::span<const std::shared_ptr<const tosa::Graph>> graphs,
                                   std::span<const KnownShape> known) {
    const std::size_t before = diagnostics_.errors();
    // Several shapes for one number are those of its inputs and outputs in order.
    std::map<std::uint32_t, std::size_t> counts;
    std::map<std::uint32_t, std::vector<const vgf::Slot*>> by_number;
    for (const auto* list : {&file_.inputs, &file_.outputs}) {
      for (const vgf::Slot& slot : *list) by_number[slot.binding].push_back(&slot);
    }
    for (const KnownShape& one : known) {
      const std::vector<const vgf::Slot*>& slots = by_number[one.binding];
      if (slots.empty()) continue;
      const vgf::Slot& slot = *slots[std::min(counts[one.binding]++, slots.size() - 1)];
      merge(slot.resource, one.shape, file_.location(slot), "what is bound to it");
    }
    for (std::size_t i = 0; i < graphs.size() && diagnostics_.errors() == before; ++i)
      resolved_.graphs.push_back(graphs[i] ? segment(file_.segments[i], *graphs[i], graphs[i]) : nullptr);
    if (diagnostics_.errors() == before) check_all_known();
    if (diagnostics_.errors() != before) return std::nullopt;
    return std::move(resolved_);
  }

 private:
  void merge(std::uint32_t index, tensor::ShapeView shape, const SourceLocation& location, std::string_view what) {
    tensor::Shape& known = resolved_.shapes[index];
    // A module stores rank 0 of the file as one element.
    if (known.empty() && std::ranges::equal(shape, tensor::Shape{1})) return;
    if (!tosa::may_be_equal(known, shape)) {
      diagnostics_.error(DiagnosticKind::ShapeMismatch, location,
                         formatted("resource {} has the shape {}, and {} {}", index, tensor::shape_text(known), what,
                                   tensor::shape_text(shape)));
      return;
    }
    for (std::size_t d = 0; d < known.size(); ++d) {
      if (known[d] < 0) known[d] = shape[d];
    }
    share(index);
  }

  // Views of one storage that may have the shape get it.
  void share(std::uint32_t index) {
    const auto open = open_.find(storage_[index]);
    if (open == open_.end()) return;
    for (const std::size_t i : open->second) {
      if (tosa::may_be_equal(file_.resources[i].shape, resolved_.shapes[index]))
        resolved_.shapes[i] = resolved_.shapes[index];
    }
  }

  std::shared_ptr<const tosa::Graph> segment(const vgf::Segment& segment, const tosa::Graph& graph,
                                             std::shared_ptr<const tosa::Graph> shared) {
    const bool open =
        !std::ranges::all_of(graph.values, [](const tosa::Value& value) { return value.type.is_static(); });
    if (!open) return shared;
    std::vector<tensor::Shape> shapes;
    for (std::size_t i = 0; i < graph.inputs.size(); ++i) {
      const auto resource = bound_resource(segment, graph.input_bindings[i]);
      // The file may know less than the module does.
      tensor::Shape shape = graph[graph.inputs[i]].type.shape;
      const tensor::Shape& outside = resolved_.shapes[resource.value_or(0)];
      for (std::size_t d = 0; resource && outside.size() == shape.size() && d < shape.size(); ++d) {
        if (shape[d] < 0) shape[d] = outside[d];
      }
      if (!is_known(shape)) {
        is_unknown(resource.value_or(0), shape, file_.location(segment.range));
        return nullptr;
      }
      shapes.push_back(std::move(shape));
    }
    std::optional<tosa::Graph> made = tosa::with_input_shapes(graph, shapes, diagnostics_);
    if (!made) return nullptr;
    for (std::size_t i = 0; i < made->outputs.size(); ++i) {
      if (const auto resource = bound_resource(segment, made->output_bindings[i])) {
        merge(*resource, (*made)[made->outputs[i]].type.shape, file_.location(segment.range),
              formatted("output {} of segment `{}`", i, segment.name));
      }
    }
    return std::make_shared<const tosa::Graph>(std::move(*made));
  }

  void is_unknown(std::uint32_t resource, tensor::ShapeView shape, const SourceLocation& location) {
    Diagnostic& problem =
        diagnostics_.error(DiagnosticKind::Unsupported, location,
                           formatted("resource {} has the shape {}, and its open dimensions are unknown", resource,
                                     tensor::shape_text(shape)));
    for (std::size_t i = 0; i < file_.inputs.size(); ++i) {
      if (file_.inputs[i].resource != resource) continue;
      const std::string_view name = vgf::input_name(file_, i);
      std::string example = name.empty() ? formatted("input_{}=", i) : formatted("{}=", name);
      for (std::size_t d = 0; d < shape.size(); ++d)
        example += formatted("{}{}", d == 0 ? "" : "x", shape[d] < 0 ? "N" : std::to_string(shape[d]));
      problem.hint(formatted("`--shape {}` gives them", example));
    }
  }

  void check_all_known() {
    for (std::uint32_t i = 0; i < resolved_.shapes.size(); ++i) {
      if (!is_known(resolved_.shapes[i])) is_unknown(i, resolved_.shapes[i], file_.location(file_.resources[i].range));
    }
  }

  const vgf::File& file_;
  std::vector<std::uint32_t> storage_;
  std::map<std::uint32_t, std::vector<std::size_t>> open_;  // resources with open dimensions, by storage
  Diagnostics& diagnostics_;
  ResolvedModel resolved_;
};

}  // namespace

std::optional<std::uint32_t> bound_resource(const vgf::Segment& segment, const tosa::Binding& binding) {
  for (const vgf::DescriptorSet& set : segment.sets) {
    if (set.index != binding.set) continue;
    const auto found = std::ranges::find(set.slots, binding.binding, &vgf::Slot::binding);
    if (found != set.slots.end()) return found->resource;
  }
  return std::nullopt;
}

std::optional<ResolvedModel> resolve_model(const vgf::File& file,
                                           std::span<const std::shared_ptr<const tosa::Graph>> graphs,
                                           std::span<const KnownShape> known, Diagnostics& diagnostics) {
  return Resolver(file, diagnostics).run(graphs, known);
}

}  // namespace slipway::model
