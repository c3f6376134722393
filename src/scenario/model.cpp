// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "scenario/model.hpp"

#include "base/system/files.hpp"

namespace slipway::scenario {

std::optional<ShaderType> Shader::likely_type() const {
  if (type) return type;
  struct Known {
    std::string_view extension;
    ShaderType type;
  };
  constexpr Known kExtensions[] = {{".spv", ShaderType::Spirv}, {".comp", ShaderType::Glsl},
                                   {".vert", ShaderType::Glsl}, {".frag", ShaderType::Glsl},
                                   {".glsl", ShaderType::Glsl}, {".hlsl", ShaderType::Hlsl},
                                   {".rpl", ShaderType::Rpl},   {".spvasm", ShaderType::SpirvAssembly}};
  const std::string extension = extension_of(src);
  for (const Known& known : kExtensions) {
    if (known.extension == extension) return known.type;
  }
  return std::nullopt;
}

std::vector<Binding> FlowBindings::all() const {
  std::vector<Binding> bindings{search_image, template_image, output_image};
  if (hint_motion_vectors) bindings.push_back(*hint_motion_vectors);
  if (output_cost) bindings.push_back(*output_cost);
  return bindings;
}

const std::string& uid_of(const Resource& resource) {
  return std::visit([](const auto& one) -> const std::string& { return one.uid; }, resource);
}

json::Value object_of(const Resource& resource) {
  return std::visit([](const auto& one) { return one.at; }, resource);
}

json::Value object_of(const Command& command) {
  return std::visit([](const auto& one) { return unboxed(one).at; }, command);
}

Access access_of(const Resource& resource) {
  const Access declared = std::visit(
      [](const auto& one) {
        if constexpr (requires { one.access; }) return one.access;
        return Access::ReadWrite;
      },
      resource);
  return declared == Access::ImageRead && !std::holds_alternative<Image>(resource) ? Access::ReadOnly : declared;
}

const std::optional<MemoryGroup>* memory_group_of(const Resource& resource) {
  return std::visit(
      [](const auto& one) -> const std::optional<MemoryGroup>* {
        if constexpr (requires { one.memory_group; }) return &one.memory_group;
        return nullptr;
      },
      resource);
}

const std::vector<Binding>* bindings_of(const Command& command) {
  return std::visit(
      [](const auto& any) -> const std::vector<Binding>* {
        const auto& one = unboxed(any);
        if constexpr (requires { one.bindings.size(); }) return &one.bindings;
        return nullptr;
      },
      command);
}

}  // namespace slipway::scenario
