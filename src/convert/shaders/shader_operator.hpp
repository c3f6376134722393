// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A CUSTOM operator of the domain `com.arm.VulkanCustomShader`: a compute shader inside a model, described by a JSON
// object in its attributes (docs/spec/converter.md#shader-operators, schema/vulkan_custom_shader.schema.json).
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/diagnostic.hpp"
#include "spirv/module.hpp"
#include "tosa/graph.hpp"
#include "vgf/vgf.hpp"

namespace slipway::convert {

// How a shader sees one of its tensors.
struct ShaderBinding {
  vk::Format format{};
  vk::DescriptorType type{};
  std::uint32_t binding = 0, set = 0;
  std::optional<vgf::Sampler> sampler;
};

struct PushConstant {
  std::string name;
  std::uint32_t offset = 0, size = 0;
};

enum class ShaderLanguage : std::uint8_t { Unset, Spirv, Glsl, Hlsl };

struct ShaderOperator {
  std::string name;  // logical name of the module
  std::string entry_point;
  std::array<std::uint32_t, 3> workgroups{};
  ShaderLanguage language = ShaderLanguage::Unset;
  std::string code;                            // as in the attributes: text, or base64
  std::vector<ShaderBinding> inputs, outputs;  // as many as the operator's tensors
  std::vector<PushConstant> push_constants;
  std::uint32_t push_constant_bytes = 0;

  bool is_placeholder() const { return code.empty(); }
};

// Reads the attributes of a node. Reports all diagnostics; the path of each is the key, below `implementation_attrs`:
// json-syntax, missing-key, wrong-type, unknown-value, out-of-range, duplicate-key, duplicate-name, conflicting-keys.
// Empty after an error.
std::optional<ShaderOperator> read_shader_operator(const tosa::Graph& graph, const tosa::Node& node,
                                                   Diagnostics& diagnostics);

std::string shader_operator_schema();

// The form `name: size, name: size`: members in order, each aligned to its size
// (docs/spec/converter.md#push-constants). Empty after an error; `problem` is then the message.
std::optional<std::vector<PushConstant>> parse_push_constants(std::string_view text, std::string& problem);

}  // namespace slipway::convert
