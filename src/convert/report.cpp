// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "convert/report.hpp"

#include <algorithm>
#include <array>
#include <set>

#include "json/writer.hpp"
#include "spirv/reflect.hpp"

namespace slipway::convert {
namespace {

// The Vulkan extension that a SPIR-V capability requires.
struct NeededExtension {
  std::string_view capability, extension;
};
constexpr std::array kExtensions = {
    NeededExtension{"GraphARM", "VK_ARM_data_graph"},
    NeededExtension{"TensorsARM", "VK_ARM_tensors"},
    NeededExtension{"ReplicatedCompositesEXT", "VK_EXT_shader_replicated_composites"},
    NeededExtension{"BFloat16TypeKHR", "VK_KHR_shader_bfloat16"},
    NeededExtension{"Float8EXT", "VK_EXT_shader_float8"},
};

// `INT`, `INT16`, ...: the row of types of a node. Rows are distinguished by their first and last tensor types.
std::string_view enabled_by(const tosa::Graph& graph, const tosa::Node& node) {
  const tosa::OperatorInfo& info = tosa::info_of(node.op);
  const auto fits = [&](const tosa::TypeRow& row) {
    std::size_t next = 0;
    const auto agrees = [&](const tosa::OperandInfo& operand, tosa::ValueId value) {
      const auto variable = info.variable(operand.type);
      return !variable || row.types[*variable] == graph[value].type.data;
    };
    for (const tosa::OperandInfo& operand : info.operands) {
      if (operand.is_tensor() && !agrees(operand, node.inputs[next++])) return false;
    }
    return agrees(info.results[0], node.outputs[0]);
  };
  const auto row = std::ranges::find_if(info.rows, fits);
  return row == info.rows.end() ? std::string_view() : row->enabled_by;
}

}  // namespace

Result<std::string> requirements_json(const vgf::File& file, const tosa::Graph& graph) {
  std::set<std::string> capabilities, extensions, sets, profiles, vulkan;
  for (const vgf::Module& module : file.modules) {
    if (module.words.empty()) continue;
    const auto words = spirv::read_module(module.words, std::string(module.name));
    if (!words) return fail(words.error());
    const auto reflection = spirv::reflect(*words);
    if (!reflection) return fail(reflection.error());
    capabilities.insert(reflection->capabilities.begin(), reflection->capabilities.end());
    extensions.insert(reflection->extensions.begin(), reflection->extensions.end());
    sets.insert(reflection->instruction_sets.begin(), reflection->instruction_sets.end());
  }
  for (const NeededExtension& each : kExtensions) {
    if (capabilities.contains(std::string(each.capability))) vulkan.emplace(each.extension);
  }
  for (const tosa::Node& node : graph.nodes) {
    if (node.op == tosa::Op::CUSTOM) continue;
    if (const std::string_view profile = enabled_by(graph, node); !profile.empty()) profiles.emplace(profile);
  }
  json::Writer out;
  const auto list = [&](std::string_view key, const std::set<std::string>& values) {
    out.key(key).array([&] {
      for (const std::string& value : values) out.value(value);
    });
  };
  out.object([&] {
    list("spirv_capabilities", capabilities);
    list("spirv_extensions", extensions);
    list("instruction_sets", sets);
    list("tosa_profiles", profiles);
    list("vulkan_extensions", vulkan);
  });
  return out.text();
}

}  // namespace slipway::convert
