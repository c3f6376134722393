// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "convert/report.hpp"

#include <algorithm>
#include <array>
#include <set>

#include "json/record.hpp"
#include "spirv/reflect/reflect.hpp"

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

using TextSet = std::set<std::string>;

struct Requirements {
  TextSet capabilities, extensions, instruction_sets, profiles, vulkan;
};

struct Texts {
  void write(json::Writer& out, const TextSet& from) const {
    out.array([&] {
      for (const std::string& text : from) out.value(text);
    });
  }
  void schema(json::Schema& schema) const {
    schema.out().raw(R"({ "type": "array", "items": { "type": "string" }, "uniqueItems": true })");
  }
};

const json::Record<Requirements>& requirements_record() {
  using R = Requirements;
  static const auto record =
      json::Record<R>("requirements", "what a converted model needs")
          .required("spirv_capabilities", &R::capabilities, Texts{}, "of all modules")
          .required("spirv_extensions", &R::extensions, Texts{}, "of all modules")
          .required("instruction_sets", &R::instruction_sets, Texts{}, "extended instruction sets that are imported")
          .required(
              "tosa_profiles", &R::profiles, Texts{},
              "profiles and extensions of TOSA that have the operators with these types; `/`: any of, `+`: all of")
          .required("vulkan_extensions", &R::vulkan, Texts{}, "that a device needs to run the modules as they are");
  return record;
}

}  // namespace

Result<std::string> requirements_json(const vgf::File& file, const tosa::Graph& graph) {
  Requirements needs;
  for (const vgf::Module& module : file.modules) {
    if (module.words.empty()) continue;
    const auto words = spirv::read_module(module.words, std::string(module.name));
    if (!words) return fail(words.error());
    const auto reflection = spirv::reflect(*words);
    if (!reflection) return fail(reflection.error());
    needs.capabilities.insert(reflection->capabilities.begin(), reflection->capabilities.end());
    needs.extensions.insert(reflection->extensions.begin(), reflection->extensions.end());
    needs.instruction_sets.insert(reflection->instruction_sets.begin(), reflection->instruction_sets.end());
  }
  for (const NeededExtension& each : kExtensions) {
    if (needs.capabilities.contains(std::string(each.capability))) needs.vulkan.emplace(each.extension);
  }
  for (const tosa::Node& node : graph.nodes) {
    if (node.op == tosa::Op::CUSTOM) continue;
    if (const std::string_view profile = enabled_by(graph, node); !profile.empty()) needs.profiles.emplace(profile);
  }
  return json::object_text(requirements_record(), needs);
}

std::string requirements_schema() {
  return json::schema_text("what a converted model needs", "written by `slipway convert --report`",
                           {&requirements_record().table()});
}

}  // namespace slipway::convert
