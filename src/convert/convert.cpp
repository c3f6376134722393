// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "convert/convert.hpp"

#include <algorithm>
#include <set>

#include "base/format.hpp"
#include "base/text/suggest.hpp"
#include "convert/file/constants.hpp"
#include "convert/file/encode.hpp"
#include "convert/passes/rematerialize.hpp"
#include "tosa/check/verify.hpp"
#include "tosa/lower_to_1_0.hpp"

namespace slipway::convert {
namespace {

constexpr std::size_t kMaxListed = 25;  // dynamic tensors in one warning

// `--require-static-shape` (docs/spec/converter.md#pass-3).
void check_static(const tosa::Model& model, Diagnostics& diagnostics) {
  const tosa::Graph& graph = model.graph;
  const SourceLocation location = SourceLocation::in_file(model.file);
  for (std::size_t i = 0; i < graph.inputs.size(); ++i) {
    const tosa::Value& value = graph[graph.inputs[i]];
    if (value.type.is_static()) continue;
    diagnostics.error(DiagnosticKind::ShapeMismatch, location,
                      formatted("input {}{} has the type {}; every dimension must be known", i,
                                value.name.empty() ? "" : formatted(" `{}`", value.name), text_of(value.type)));
  }
  std::string list;
  std::size_t count = 0;
  for (const tosa::Value& value : graph.values) {
    if (value.kind == tosa::ValueKind::Input || value.type.is_static()) continue;
    if (count++ < kMaxListed) list += formatted("{}{}", list.empty() ? "" : ", ", text_of(value.type));
  }
  if (count == 0) return;
  diagnostics.warning(
      DiagnosticKind::ShapeMismatch, location,
      formatted("{} tensor{} inside the model ha{} unknown dimensions: {}{}", count, count == 1 ? "" : "s",
                count == 1 ? "s" : "ve", list, count > kMaxListed ? ", ..." : ""));
}

// Adds the index of the operator to messages about files whose locations are byte offsets.
void number_operators(const tosa::Model& model, std::size_t first, Diagnostics& diagnostics) {
  if (model.operator_offsets.empty() || diagnostics.all().size() == first) return;
  Failure all = diagnostics.release();
  for (std::size_t i = first; i < all.size(); ++i) {
    Diagnostic& diagnostic = all[i];
    if (diagnostic.location.kind != SourceLocation::Kind::Bytes) continue;
    const auto found = std::ranges::find(model.operator_offsets, diagnostic.location.span.begin);
    if (found == model.operator_offsets.end()) continue;
    // `operator 17 CONV2D ...`, `operator 17: shader operator ...`
    diagnostic.message = formatted("operator {}{} {}", found - model.operator_offsets.begin(),
                                   diagnostic.names_operator ? "" : ":", diagnostic.message);
  }
  diagnostics.add(std::move(all));
}

std::vector<std::string> names_or(const std::vector<std::string>& given, std::size_t count, std::string_view what) {
  if (given.size() == count) return given;
  std::vector<std::string> names;
  for (std::size_t i = 0; i < count; ++i) names.push_back(formatted("{}_{}", what, i));
  return names;
}

// Reads all shader operators: their attributes and code, and checks that both match.
Shaders make_shaders(const tosa::Graph& graph, std::vector<bool>& is_shader_node, const ConvertOptions& options,
                     Diagnostics& diagnostics) {
  Shaders shaders;
  std::set<std::string_view> names;
  is_shader_node.assign(graph.nodes.size(), false);
  for (std::uint32_t i = 0; i < graph.nodes.size(); ++i) {
    const tosa::Node& node = graph.nodes[i];
    if (!is_shader(node)) {
      if (node.op == tosa::Op::CUSTOM && !options.spirv.custom_opcodes.contains(node.custom->domain))
        tosa::unmapped_custom(*node.custom, node.location, diagnostics);
      continue;
    }
    Diagnostics problems;
    auto declared = read_shader_operator(graph, node, problems);
    if (!declared && options.spirv.custom_opcodes.contains(node.custom->domain)) {
      diagnostics.warning(DiagnosticKind::NotPortable, node.location,
                          formatted("shader operator `{}` does not follow the schema and goes into the graph as a "
                                    "custom operator",
                                    node.custom->name));
      continue;
    }
    is_shader_node[i] = true;
    names.insert(node.custom->name);
    if (const auto given = options.shader.given.find(node.custom->name);
        declared && given != options.shader.given.end()) {
      declared->language = given->second.language;
      declared->code = given->second.code;
    }
    auto module = declared ? build_shader(*declared, graph, node, options.shader, problems) : std::nullopt;
    diagnostics.add(problems.release());
    if (module) shaders.emplace(i, Shader{std::move(*declared), std::move(*module)});
  }
  for (const auto& [name, code] : options.shader.given) {
    if (names.contains(name)) continue;
    Diagnostic& problem =
        diagnostics.error(DiagnosticKind::UnknownReference, {},
                          formatted("the model has no shader operator `{}`, to which `--shader` gives code", name));
    if (const auto near = closest(name, names)) problem.hint(formatted("did you mean `{}`?", *near));
  }
  return shaders;
}

}  // namespace

bool prepare(tosa::Model& model, const ConvertOptions& options, Diagnostics& diagnostics) {
  const std::size_t before = diagnostics.errors(), first = diagnostics.all().size();
  const auto finished = [&](std::string_view pass) {
    if (options.observe) options.observe(pass, model.graph);
    return diagnostics.errors() == before;
  };
  if (model.graph.outputs.empty()) {
    diagnostics.error(DiagnosticKind::FileFormat, SourceLocation::in_file(model.file), "model has no outputs");
    return false;
  }
  // Must come first: all later stages rely on valid operators and on shapes that can be inferred.
  tosa::verify(model.graph, diagnostics);
  number_operators(model, first, diagnostics);
  if (!finished("read")) return false;
  if (options.require_static_shape) check_static(model, diagnostics);
  // Before passes that know operators by name.
  tosa::lower_to_1_0(model.graph);
  // Must come before constants are merged, so that constants that become equal are merged too.
  narrow_types(model.graph, options.narrow, diagnostics);
  if (!finished("narrow")) return false;
  simplify(model.graph, options.simplify);
  return finished("simplify");
}

std::optional<Converted> make_file(tosa::Model& model, const ConvertOptions& options, Diagnostics& diagnostics) {
  const std::size_t before = diagnostics.errors(), first = diagnostics.all().size();
  tosa::Graph& graph = model.graph;
  // The formats of tensors in a file are those of Vulkan.
  for (const tosa::Value& value : graph.values) {
    if (!is_block_scaled(value.type.data)) continue;
    diagnostics.error(
        DiagnosticKind::Unsupported, SourceLocation::in_file(model.file),
        formatted("tensor{} has the type {} of TOSA 1.1; a VGF file has block-scaled tensors only between "
                  "operators, and with known shapes",
                  value.name.empty() ? "" : formatted(" `{}`", value.name), text_of(value.type)));
    return std::nullopt;
  }
  // Must come before operators are counted: each makes a node a constant.
  DeferredTransposes deferred;
  if (options.simplify.fold && options.simplify.defers_transposes) deferred = defer_transposes(graph);
  std::vector<bool> is_shader_node;
  Shaders shaders = make_shaders(graph, is_shader_node, options, diagnostics);
  if (diagnostics.errors() != before) {
    number_operators(model, first, diagnostics);
    return std::nullopt;
  }
  const std::vector<tosa::ValueId> numbered = number_constants(graph, is_shader_node, options.spirv.replicate);
  Partitioning partitioning = partition(graph, is_shader_node, options.order, model.separate_parts);
  if (options.rematerialize_rescale) {
    const std::vector<std::uint32_t> moved = rematerialize_rescale(graph, partitioning);
    Shaders renumbered;
    for (auto& [node, shader] : shaders) renumbered.emplace(moved[node], std::move(shader));
    shaders = std::move(renumbered);
  }
  Segments segments = make_segments(graph, partitioning);
  const auto inputs = names_or(model.input_names, graph.inputs.size(), "input");
  const auto outputs = names_or(model.output_names, graph.outputs.size(), "output");
  auto file = encode(graph, numbered, deferred, segments, shaders, {inputs, outputs}, options.spirv);
  if (!file) diagnostics.add(std::move(file.error()));
  number_operators(model, first, diagnostics);
  if (!file) return std::nullopt;
  return Converted{std::move(*file), std::move(partitioning), std::move(segments)};
}

std::optional<Converted> convert(tosa::Model& model, const ConvertOptions& options, Diagnostics& diagnostics) {
  if (!prepare(model, options, diagnostics)) return std::nullopt;
  return make_file(model, options, diagnostics);
}

}  // namespace slipway::convert
