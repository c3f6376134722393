// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tosa/write/write_spirv.hpp"

#include <algorithm>
#include <array>

#include <spirv/unified1/spirv.hpp11>

#include "base/format.hpp"
#include "tensor/element.hpp"
#include "tosa/check/operand_forms.hpp"
#include "tosa/lower_to_1_0.hpp"
#include "tosa/spirv_sets.hpp"
#include "tosa/write/spirv_constants.hpp"

namespace slipway::tosa {
namespace {

using spirv::Id;
using spirv::Operands;
using spirv::Section;

constexpr std::uint32_t kVersion15 = 0x10500;
constexpr std::size_t kMaxTosaRank = 6;

class SpirvWriter {
 public:
  SpirvWriter(const Graph& graph, const SpirvOptions& options)
      : graph_(graph), options_(options), builder_(kVersion15), constants_(builder_, options.replicate) {}

  Result<spirv::Words> run() {
    Diagnostics problems;
    check_writable(graph_, options_, problems);
    if (problems.has_errors()) return fail(problems.release());
    preamble();
    interface();
    body();
    if (options_.debug_info) debug_info();
    if (const std::size_t longest = longest_instruction(builder_); longest > spirv::kMaxInstruction) {
      return fail(DiagnosticKind::Unsupported, {},
                  formatted("an instruction of SPIR-V would have {} words, of which it may have {}: the graph has too "
                            "many inputs and outputs, or an operator has too many operands",
                            longest, spirv::kMaxInstruction));
    }
    return builder_.words();
  }

 private:
  void preamble() {
    for (const spv::Capability capability : {spv::Capability::Shader, spv::Capability::VulkanMemoryModel,
                                             spv::Capability::TensorsARM, spv::Capability::GraphARM})
      builder_.capability(capability);
    for (const std::string_view extension : {"SPV_ARM_tensors", "SPV_ARM_graph", "SPV_KHR_vulkan_memory_model"})
      builder_.extension(extension);
    builder_.memory_model(spv::AddressingModel::Logical, spv::MemoryModel::Vulkan);
  }

  // The variables of inputs and outputs, the type of the graph and its entry point.
  void interface() {
    Operands types({static_cast<std::uint32_t>(graph_.inputs.size())}), variables;
    const auto add = [&](std::span<const ValueId> values, std::span<const Binding> bindings, std::uint32_t first,
                         std::string_view what) {
      for (std::size_t i = 0; i < values.size(); ++i) {
        const Id type = constants_.tensor_type(graph_[values[i]].type);
        const Id variable = builder_.variable(builder_.type_pointer(spv::StorageClass::UniformConstant, type),
                                              spv::StorageClass::UniformConstant);
        const Binding at = bindings.empty() ? Binding{0, first + static_cast<std::uint32_t>(i)} : bindings[i];
        builder_.name(variable, formatted("{}_{}_{}", graph_.name, what, i));
        builder_.decorate(variable, spv::Decoration::Binding, {at.binding});
        builder_.decorate(variable, spv::Decoration::DescriptorSet, {at.set});
        types.add(type);
        variables.add(variable);
      }
    };
    add(graph_.inputs, graph_.input_bindings, 0, "arg");
    add(graph_.outputs, graph_.output_bindings, static_cast<std::uint32_t>(graph_.inputs.size()), "res");

    const Id type = builder_.type(spv::Op::OpTypeGraphARM, types);
    graph_id_ = builder_.new_id();
    builder_.emit(Section::Functions, spv::Op::OpGraphEntryPointARM,
                  Operands({graph_id_}).add(std::string_view(graph_.name)).add(variables.words()));
    builder_.emit(Section::Functions, spv::Op::OpGraphARM, {type, graph_id_});
  }

  void body() {
    ids_.resize(graph_.values.size());
    for (std::size_t i = 0; i < graph_.inputs.size(); ++i) {
      ids_[index(graph_.inputs[i])] = builder_.op(spv::Op::OpGraphInputARM, type_of(graph_.inputs[i]),
                                                  {constants_.u32(static_cast<std::uint32_t>(i))});
    }
    for (const Node& node : graph_.nodes) operation(node);
    for (std::size_t i = 0; i < graph_.outputs.size(); ++i) {
      builder_.op_void(spv::Op::OpGraphSetOutputARM,
                       {id_of(graph_.outputs[i]), constants_.u32(static_cast<std::uint32_t>(i))});
    }
    builder_.op_void(spv::Op::OpGraphEndARM);
  }

  Id type_of(ValueId value) { return constants_.tensor_type(graph_[value].type); }

  // Constants are declared at their first use.
  Id id_of(ValueId value) {
    Id& id = ids_[index(value)];
    if (id != 0) return id;
    const Constant& constant = *graph_.constant(value);
    const TensorType& type = graph_[value].type;
    if (constant.graph_constant) {
      id = builder_.constant(spv::Op::OpGraphConstantARM, constants_.tensor_type(type), {*constant.graph_constant});
    } else {
      id = constants_.tensor(type, constant.data, constant.splat);
    }
    return id;
  }

  void operation(const Node& node) {
    std::vector<TensorType> types;
    for (const ValueId output : node.outputs) types.push_back(graph_[output].type);
    const Id type = constants_.result_type(types);
    const Operands operands = node.op == Op::CUSTOM ? call(node) : instruction(node);
    const Id result = builder_.op(spv::Op::OpExtInst, type, operands);
    if (node.outputs.size() == 1) {
      ids_[index(node.outputs[0])] = result;
      return;
    }
    for (std::size_t i = 0; i < node.outputs.size(); ++i) {
      ids_[index(node.outputs[i])] =
          builder_.op(spv::Op::OpCompositeExtract, type_of(node.outputs[i]), {result, static_cast<std::uint32_t>(i)});
    }
  }

  Operands instruction(const Node& node) {
    const OperatorInfo& info = info_of(node.op);
    Operands operands({builder_.import(info.set == InstructionSet::Tosa ? kTosaSet : kMotionEngineSet), info.number});
    auto input = node.inputs.begin();
    for (const OperandInfo& operand : info.operands) {
      if (operand.optional) continue;
      if (!operand.is_tensor()) {
        operands.add(attribute(node, info, operand));
      } else {
        do operands.add(id_of(*input++));
        while (operand.variadic && input != node.inputs.end());
      }
    }
    return operands;
  }

  Id attribute(const Node& node, const OperatorInfo& info, const OperandInfo& operand) {
    switch (operand.kind) {
      case OperandKind::List:
        return constants_.list(node.attributes.list(operand.name));
      case OperandKind::Flag:
        return constants_.scalar(DataType::Bool, node.attributes.flag(operand.name));
      case OperandKind::Value:
      case OperandKind::One:
      case OperandKind::ZeroPoint: {
        const DataType type = element_type(graph_, node, info, operand);
        const std::uint64_t bits = element_bits(node, operand, type);
        if (operand.kind == OperandKind::Value) return constants_.scalar(type, bits);
        return constants_.tensor({type, {1}}, std::as_bytes(std::span(&bits, 1)).first(size_of(type)), true);
      }
      default:
        return constants_.u32(static_cast<std::uint32_t>(node.attributes.integer(operand.name)));
    }
  }

  static std::size_t size_of(DataType type) { return tensor::size_of(storage_of(type)); }

  static std::uint64_t element_bits(const Node& node, const OperandInfo& operand, DataType type) {
    if (!is_float(type)) {
      const auto bits = static_cast<std::uint64_t>(node.attributes.integer(operand.name));
      return size_of(type) == 8 ? bits : bits & ((std::uint64_t{1} << 8 * size_of(type)) - 1);
    }
    std::array<std::byte, 8> element{};
    tensor::store_rounded(storage_of(type), node.attributes.real(operand.name), element.data());
    return load<std::uint64_t>(element.data());
  }

  // CALL: the opcode as a literal, name and attributes as bytes, then the tensors.
  Operands call(const Node& node) {
    Operands operands({builder_.import(kCustomSet), 0, options_.custom_opcodes.find(node.custom->domain)->second,
                       constants_.text(node.custom->name), constants_.text(node.custom->attributes)});
    for (const ValueId input : node.inputs) operands.add(id_of(input));
    return operands;
  }

  // --- names; lines cannot be in a graph (SPIRV-Tools refuses OpLine there) ---

  Id string(std::string_view text) {
    const auto [known, is_new] = strings_.try_emplace(std::string(text), 0);
    if (is_new) {
      known->second = builder_.new_id();
      builder_.emit(Section::DebugStrings, spv::Op::OpString, Operands({known->second}).add(text));
    }
    return known->second;
  }

  void debug_info() {
    builder_.extension("SPV_KHR_non_semantic_info");
    const Id set = builder_.import(kDebugSet), type = builder_.type_void();
    const auto add = [&](DebugInstruction instruction, const Operands& operands) {
      return builder_.op(spv::Op::OpExtInst, type, Operands({set, instruction}).add(operands.words()));
    };
    const Id graph = add(kDebugGraph, {graph_id_, string(graph_.name)});
    for (const Node& node : graph_.nodes) {
      if (!node.name.empty()) add(kDebugOperation, {graph, string(node.name), ids_[index(node.outputs[0])]});
    }
    for (std::size_t i = 0; i < graph_.values.size(); ++i) {
      if (!graph_.values[i].name.empty() && ids_[i] != 0) add(kDebugTensor, {ids_[i], string(graph_.values[i].name)});
    }
  }

  const Graph& graph_;
  const SpirvOptions& options_;
  spirv::Builder builder_;
  SpirvConstants constants_;
  Id graph_id_ = 0;
  std::vector<Id> ids_;  // by value
  std::map<std::string, Id, std::less<>> strings_;
};

}  // namespace

void check_writable(const Graph& graph, const SpirvOptions& options, Diagnostics& diagnostics) {
  for (const Value& value : graph.values) {
    const SourceLocation location =
        value.kind == ValueKind::Result ? graph.nodes[value.source].location : SourceLocation{};
    const std::string name = value.name.empty() ? std::string() : formatted(" `{}`", value.name);
    if (value.type.shape.size() > kMaxTosaRank) {
      diagnostics.error(DiagnosticKind::Unsupported, location,
                        formatted("tensor{} has the type {}; a graph module has ranks up to {}", name,
                                  text_of(value.type), kMaxTosaRank));
    }
    if (std::ranges::contains(value.type.shape, 0)) {
      diagnostics.error(DiagnosticKind::OutOfRange, location,
                        formatted("tensor{} has the type {}; no dimension can be 0", name, text_of(value.type)));
    }
    if (value.kind != ValueKind::Constant) continue;
    const Constant& constant = graph.constants[value.source];
    if (constant.data.empty() && !constant.graph_constant)
      diagnostics.error(DiagnosticKind::MissingKey, location, formatted("constant{} has no data", name));
  }
  for (const auto* bindings : {&graph.input_bindings, &graph.output_bindings}) {
    for (const Binding& at : *bindings) {
      if (at.element != 0)
        diagnostics.error(DiagnosticKind::Unsupported, {},
                          formatted("{}: arrays of tensors cannot be written", text_of(at)));
    }
  }
  for (const Node& node : graph.nodes) {
    if (node.op == Op::CUSTOM && !options.custom_opcodes.contains(node.custom->domain))
      unmapped_custom(*node.custom, node.location, diagnostics);
    if (is_tosa_1_1(node))
      diagnostics.error(DiagnosticKind::Unsupported, node.location,
                        formatted("{} of TOSA 1.1 is not in the instruction set {}, and this form cannot be expressed "
                                  "in it exactly",
                                  name_of(node.op), kTosaSet));
  }
}

void unmapped_custom(const CustomOperator& custom, const SourceLocation& location, Diagnostics& diagnostics) {
  diagnostics
      .error(DiagnosticKind::Unsupported, location,
             formatted("failed to legalize operation 'tosa.custom': operator `{}` is of the domain `{}`, which "
                       "has no opcode",
                       custom.name, custom.domain))
      .hint(formatted("set one with `--custom-op-domain-to-opcode {}:NUMBER`", custom.domain));
}

Result<spirv::Words> write_graph_module(const Graph& graph, const SpirvOptions& options) {
  Graph lowered = graph;  // constants are views
  lower_to_1_0(lowered);
  return SpirvWriter(lowered, options).run();
}

}  // namespace slipway::tosa
