// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Commands except graphics and optical flow (docs/spec/scenario.md#commands).
#include "base/format.hpp"
#include "scenario/check/context.hpp"

namespace slipway::scenario {
namespace {

void check(Context& context, const DispatchCompute& command) {
  const Shader* shader = context.follow<Shader>(command.shader);
  if (shader && shader->stage != ShaderStage::Compute) {
    context
        .error(command.shader.at, DiagnosticKind::WrongReference,
               formatted("DispatchCompute requires a compute shader stage, which `{}` does not have", shader->uid))
        .note(formatted("shader `{}` is here", shader->uid), shader->at["stage"].location());
  }
  // A shader that was left out, or whose type only its file determines, may be RPL.
  const auto type = shader ? shader->likely_type() : std::nullopt;
  check_bindings(context, command.bindings,
                 type.value_or(ShaderType::Rpl) == ShaderType::Rpl ? Naming::RplShader : Naming::SetAndId);
  context.follow<RawData>(command.push_data);
  check_push_addresses(context, command.push_addresses);
}

void check(Context& context, const DispatchGraph& command) {
  context.follow<Graph>(command.graph);
  check_bindings(context, command.bindings, Naming::IdOnly);
  check_single(context, command.bindings);
  for (const PushConstantMap& map : command.push_constants) context.follow<RawData>(map.push_data);
  for (const Substitution& substitution : command.shader_substitutions) context.follow<Shader>(substitution.shader);
}

void check(Context& context, const DispatchSpirvGraph& command) {
  const Shader* shader = context.follow<Shader>(command.shader);
  const auto type = shader ? shader->likely_type() : std::nullopt;
  if (type && *type != ShaderType::Spirv && *type != ShaderType::SpirvAssembly) {
    context
        .error(command.shader.at, DiagnosticKind::WrongReference,
               formatted("Shader resource used to create Graph Pipeline must be of type SPIR-V, which `{}` is not",
                         shader->uid))
        .note(formatted("shader `{}` is here", shader->uid), location_in(shader->at, "type"));
  }
  check_bindings(context, command.bindings, Naming::SetAndId);
  for (const Binding& binding : command.bindings) {
    if (context.scenario.find<Buffer>(binding.resource.uid)) context.follow_any<Image, Tensor>(binding.resource);
  }
  for (const Reference& constant : command.graph_constants) context.follow<GraphConstant>(constant);
}

void check(Context& context, const DispatchBarrier& command) {
  for (const Reference& barrier : command.image_barriers) context.follow<ImageBarrier>(barrier);
  for (const Reference& barrier : command.tensor_barriers) context.follow<TensorBarrier>(barrier);
  for (const Reference& barrier : command.memory_barriers) context.follow<MemoryBarrier>(barrier);
  for (const Reference& barrier : command.buffer_barriers) context.follow<BufferBarrier>(barrier);
}

void check(Context& context, const MarkBoundary& command) {
  for (const Reference& resource : command.resources) context.follow_any<Buffer, Image, Tensor>(resource);
}

}  // namespace

void check_commands(Context& context) {
  context.scenario.commands.each([&](const Command& command) {
    std::visit(
        [&](const auto& one) {
          if constexpr (requires { check(context, unboxed(one)); }) check(context, unboxed(one));
        },
        command);
  });
}

}  // namespace slipway::scenario
