// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Shaders and graphs, as far as they can be checked without their files (docs/spec/scenario.md#resources,
// docs/spec/scenario.md#additive-keys, docs/spec/scenario.md#shaders).
#include <map>

#include "base/format.hpp"
#include "scenario/check/context.hpp"

namespace slipway::scenario {
namespace {

void check_push_size(Context& context, json::Value object, std::uint32_t size) {
  if (size % 4 == 0) return;
  context.error(object["push_constants_size"], DiagnosticKind::OutOfRange,
                formatted("`push_constants_size` is {}, but must be a multiple of 4", size));
}

void check_constants(Context& context, const std::vector<SpecializationConstant>& constants) {
  std::map<std::uint32_t, json::Value> seen;
  for (const SpecializationConstant& constant : constants) {
    const auto [first, fresh] = seen.emplace(constant.id, constant.at["id"]);
    if (fresh) continue;
    context
        .error(constant.at["id"], DiagnosticKind::DuplicateName,
               formatted("specialization constant {} is given twice", constant.id))
        .note("the first one is here", first->second.location());
  }
}

void check_shader(Context& context, const Shader& shader) {
  check_push_size(context, shader.at, shader.push_constants_size);
  check_constants(context, shader.specialization_constants);
  const auto type = shader.likely_type();
  if (!type) return;
  if (*type == ShaderType::Glsl && shader.entry != "main") {
    context.error(shader.at["entry"], DiagnosticKind::UnknownValue,
                  formatted("GLSL is required to have an entrypoint of 'main', but here is `{}`", shader.entry));
  }
  if (*type == ShaderType::Hlsl && shader.stage != ShaderStage::Compute) {
    context.error(shader.at["stage"], DiagnosticKind::UnknownValue, "shaders of type HLSL are compute shaders only");
  }
  if (*type == ShaderType::Spirv && shader.source) {
    context.error(shader.at["source"], DiagnosticKind::ConflictingKeys,
                  "`source` is for shaders in text; a shader of type SPIR-V comes from a file, one of type SPIR-V-ASM "
                  "may be inline");
  }
  for (const std::string_view key : {"modules", "options", "entry_points"}) {
    if (*type == ShaderType::Rpl || !shader.at[key]) continue;
    context.error(shader.at[key], DiagnosticKind::ConflictingKeys, formatted("`{}` is for shaders of type RPL", key));
  }
}

void check_graph(Context& context, const Graph& graph) {
  check_push_size(context, graph.at, graph.push_constants_size);
  for (const SpecializationMap& map : graph.specialization_constants_map) {
    check_constants(context, map.specialization_constants);
  }
  for (const Substitution& substitution : graph.shader_substitutions) context.follow<Shader>(substitution.shader);
}

}  // namespace

void check_shaders(Context& context) {
  for (const Resource& resource : context.scenario.resources) {
    if (const auto* shader = std::get_if<Shader>(&resource)) check_shader(context, *shader);
    if (const auto* graph = std::get_if<Graph>(&resource)) check_graph(context, *graph);
  }
}

}  // namespace slipway::scenario
