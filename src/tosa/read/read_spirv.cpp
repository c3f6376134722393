// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tosa/read/read_spirv.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <unordered_map>

#include <spirv/unified1/spirv.hpp11>

#include "base/format.hpp"
#include "tensor/element.hpp"
#include "tosa/read/open_parameters.hpp"
#include "tosa/read/spirv_values.hpp"
#include "tosa/spirv_sets.hpp"

namespace slipway::tosa {
namespace {

// The longest list of an attribute has a pair for each dimension; a replicated one would be expanded.
constexpr std::int64_t kMaxList = 256;
constexpr std::uint32_t kMaxArray = 1024;  // tensors in an input or output

class GraphReader {
 public:
  GraphReader(const spirv::Module& module, Diagnostics& diagnostics)
      : module_(module), diagnostics_(diagnostics), values_(module, diagnostics) {}

  std::optional<Graph> run(std::string_view entry_point) {
    const std::size_t before = diagnostics_.errors();
    declarations();
    const spirv::Instruction* entry = find_entry(entry_point);
    if (!entry) return std::nullopt;
    graph_.name = entry->string(1);
    interface(*entry);
    body(entry->operand(0));
    if (diagnostics_.errors() != before) return std::nullopt;
    debug_names();
    return std::move(graph_);
  }

 private:
  using Instruction = spirv::Instruction;

  Diagnostic& error(DiagnosticKind kind, const Instruction& at, std::string text) {
    return diagnostics_.error(kind, module_.location(at), std::move(text));
  }

  // --- module scope ---

  void declarations() {
    std::set<std::uint32_t> constants;
    std::set<std::string_view> entries;
    for (const Instruction& instruction : module_.instructions()) {
      switch (instruction.op) {
        case spv::Op::OpExtInstImport:
          sets_.emplace(instruction.result, instruction.string(1));
          break;
        case spv::Op::OpExtInst:
          used_sets_.insert(instruction.operand(2));
          break;
        case spv::Op::OpDecorate:
          if (instruction.operand(1) == static_cast<std::uint32_t>(spv::Decoration::DescriptorSet))
            bindings_[instruction.operand(0)].set = instruction.operand(2);
          if (instruction.operand(1) == static_cast<std::uint32_t>(spv::Decoration::Binding))
            bindings_[instruction.operand(0)].binding = instruction.operand(2);
          break;
        case spv::Op::OpGraphConstantARM:
          if (!constants.insert(instruction.operand(2)).second)
            error(DiagnosticKind::DuplicateName, instruction,
                  formatted("graph constant {} is declared twice", instruction.operand(2)));
          break;
        case spv::Op::OpGraphEntryPointARM:
          if (!entries.insert(instruction.string(1)).second)
            error(DiagnosticKind::DuplicateName, instruction,
                  formatted("two graphs have the entry point `{}`", instruction.string(1)));
          break;
        default:
          break;
      }
    }
    for (const auto& [id, name] : sets_) {
      const bool known = name == kTosaSet || name == kMotionEngineSet || name.starts_with(kCustomSetPrefix) ||
                         name.starts_with("NonSemantic.");
      if (known || used_sets_.contains(id)) continue;
      diagnostics_.warning(DiagnosticKind::Unsupported, module_.location(*module_.definition(id)),
                           formatted("the instruction set `{}` is not known; nothing uses it", name));
    }
  }

  // Other implementations take the only graph of a module under any name.
  const Instruction* find_entry(std::string_view name) {
    std::string names;
    std::vector<const Instruction*> entries;
    for (const Instruction& instruction : module_.instructions()) {
      if (instruction.op != spv::Op::OpGraphEntryPointARM) continue;
      if (instruction.string(1) == name) return &instruction;
      names += formatted("{}`{}`", names.empty() ? "" : ", ", instruction.string(1));
      entries.push_back(&instruction);
    }
    if (entries.size() == 1) {
      diagnostics_.rule(DiagnosticKind::UnknownReference, module_.location(*entries[0]),
                        formatted("the module has no graph `{}`; its only graph, {}, is taken", name, names));
      return entries[0];
    }
    diagnostics_.error(
        DiagnosticKind::UnknownReference, SourceLocation::in_file(module_.name()),
        names.empty() ? "the module has no graph" : formatted("the module has no graph `{}`; it has {}", name, names));
    return nullptr;
  }

  // The variables of the entry point: inputs, then outputs, with their bindings; types agree with the graph's.
  void interface(const Instruction& entry) {
    const Instruction* graph = module_.definition(entry.operand(0));
    const Instruction* type = graph ? module_.definition(graph->type) : nullptr;
    if (!graph || graph->op != spv::Op::OpGraphARM || !type || type->op != spv::Op::OpTypeGraphARM) {
      error(DiagnosticKind::UnknownReference, entry, formatted("%{} is not a graph", entry.operand(0)));
      return;
    }
    input_count_ = type->operand(1);
    value_types_ = type->operands.subspan(std::min<std::size_t>(2, type->operands.size()));
    if (input_count_ >= value_types_.size()) {
      error(DiagnosticKind::FileFormat, *type, formatted("a graph type has {} inputs and no output", input_count_));
      return;
    }
    const auto variables = entry.operands.subspan(1 + spirv::string_words(entry.string(1)));
    if (variables.size() != value_types_.size()) {
      error(DiagnosticKind::BindingMismatch, entry,
            formatted("the entry point has {} interface variables, and its graph {} inputs and outputs",
                      variables.size(), value_types_.size()));
      return;
    }
    for (std::size_t i = 0; i < variables.size(); ++i) {
      const bool is_input = i < input_count_;
      std::vector<Binding>& bindings = is_input ? graph_.input_bindings : graph_.output_bindings;
      Slot slot = slot_of(value_types_[i], entry);
      slot.first = bindings.size();
      const Instruction* variable = module_.definition(variables[i]);
      const Instruction* pointer = variable ? module_.definition(variable->type) : nullptr;
      if (!variable || variable->op != spv::Op::OpVariable || !pointer || pointer->op != spv::Op::OpTypePointer ||
          variable->operand(2) != static_cast<std::uint32_t>(spv::StorageClass::UniformConstant)) {
        error(DiagnosticKind::TypeMismatch, entry, formatted("%{} is not a variable in UniformConstant", variables[i]));
      } else if (const Slot given = slot_of(pointer->operand(2), *variable);
                 given.is_array != slot.is_array || given.count != slot.count ||
                 !values_.equal(given.type, slot.type, *variable)) {
        error(DiagnosticKind::TypeMismatch, *variable,
              formatted("the variable of {} {} has another type than the graph", is_input ? "input" : "output",
                        is_input ? i : i - input_count_));
      }
      for (std::uint32_t element = 0; element < slot.count; ++element) {
        bindings.push_back(bindings_[variables[i]]);
        bindings.back().element = element;
        if (is_input) graph_.add_input(values_.tensor_type(slot.type, entry).value_or(TensorType{}));
      }
      slots_.push_back(slot);
    }
    graph_.outputs.assign(graph_.output_bindings.size(), kNoValue);
  }

  // An input or output of the type of the graph: a tensor, or an array of tensors, each of which is a value.
  struct Slot {
    spirv::Id type = 0;  // of one tensor
    std::uint32_t count = 1;
    bool is_array = false;
    std::size_t first = 0;  // index of the first value
  };

  Slot slot_of(spirv::Id type, const Instruction& user) {
    const Instruction* definition = module_.definition(type);
    if (!definition || definition->op != spv::Op::OpTypeArray) return {.type = type};
    Slot slot{.type = definition->operand(1), .is_array = true};
    const std::uint32_t count = values_.index(definition->operand(2), user).value_or(0);
    if (count >= 1 && count <= kMaxArray)
      slot.count = count;
    else
      error(DiagnosticKind::OutOfRange, user,
            formatted("an array of {} tensors; arrays have 1 to {} tensors", count, kMaxArray));
    return slot;
  }

  // The value of an operand pair (index, element) of an input or an output, whose first one is `at`; empty after an
  // error.
  struct Taken {
    Slot slot;
    std::size_t value;
  };
  std::optional<Taken> taken(const Instruction& instruction, std::size_t at, bool is_input) {
    const std::string_view what = is_input ? "input" : "output";
    const auto position = values_.index(instruction.operand(at), instruction);
    if (!position) return std::nullopt;
    const std::size_t count =
        is_input ? input_count_ : slots_.size() - std::min<std::size_t>(input_count_, slots_.size());
    const std::size_t index = *position + std::size_t{is_input ? 0 : input_count_};
    if (*position >= count || index >= slots_.size()) {
      error(DiagnosticKind::IndexOutOfRange, instruction, formatted("{} {} of {}", what, *position, count));
      return std::nullopt;
    }
    const Slot& slot = slots_[index];
    const bool has_element = instruction.operands.size() > at + 1;
    if (has_element != slot.is_array) {
      error(DiagnosticKind::TypeMismatch, instruction,
            slot.is_array
                ? formatted("{} {} is an array of tensors; an instruction has to name an element", what, *position)
                : formatted("{} {} is a tensor, and has no elements", what, *position));
      return std::nullopt;
    }
    std::uint32_t element = 0;
    if (has_element) {
      const auto given = values_.index(instruction.operand(at + 1), instruction);
      if (!given) return std::nullopt;
      if (*given >= slot.count) {
        error(DiagnosticKind::IndexOutOfRange, instruction,
              formatted("element {} of {} {}, which has {}", *given, what, *position, slot.count));
        return std::nullopt;
      }
      element = *given;
    }
    return Taken{slot, slot.first + element};
  }

  // --- the graph ---

  void body(spirv::Id graph) {
    const std::size_t before = diagnostics_.errors();
    bool inside = false, over = false;
    for (const Instruction& instruction : module_.instructions()) {
      if (instruction.op == spv::Op::OpGraphARM) inside = instruction.result == graph;
      if (!inside) continue;
      if (instruction.op == spv::Op::OpGraphEndARM) {
        over = true;
        break;
      }
      statement(instruction);
    }
    if (!over) {
      diagnostics_.error(DiagnosticKind::FileTruncated, SourceLocation::in_file(module_.name()),
                         formatted("graph `{}` has no end", graph_.name));
      return;
    }
    for (std::size_t i = 0; i < graph_.outputs.size(); ++i) {
      if (graph_.outputs[i] == kNoValue && diagnostics_.errors() == before)
        diagnostics_.error(DiagnosticKind::FileFormat, SourceLocation::in_file(module_.name()),
                           formatted("output {} of graph `{}` is not set", i, graph_.name));
    }
  }

  void statement(const Instruction& instruction) {
    switch (instruction.op) {
      case spv::Op::OpGraphARM:
      case spv::Op::OpLine:
      case spv::Op::OpNoLine:
        return;
      case spv::Op::OpGraphInputARM:
        return input(instruction);
      case spv::Op::OpGraphSetOutputARM:
        return output(instruction);
      case spv::Op::OpCompositeExtract:
        return extract(instruction);
      case spv::Op::OpExtInst:
        return operation(instruction);
      default:
        error(DiagnosticKind::FileFormat, instruction,
              formatted("instruction {} cannot be in a graph", static_cast<unsigned>(instruction.op)));
    }
  }

  void input(const Instruction& instruction) {
    if (!graph_.nodes.empty()) error(DiagnosticKind::FileFormat, instruction, "an input is declared after an operator");
    const auto at = taken(instruction, 2, true);
    if (!at) return;
    if (!inputs_.insert(at->value).second) {
      error(DiagnosticKind::DuplicateName, instruction, formatted("input {} is taken twice", at->value));
    } else if (!values_.equal(instruction.type, at->slot.type, instruction)) {
      error(DiagnosticKind::TypeMismatch, instruction,
            formatted("input {} has another type than in the type of the graph", at->value));
    } else {
      results_[instruction.result] = {graph_.inputs[at->value]};
    }
  }

  void output(const Instruction& instruction) {
    const auto at = taken(instruction, 1, false);
    const auto value = tensor(instruction.operand(0), instruction);
    if (!at || !value) return;
    if (graph_.outputs[at->value] != kNoValue) {
      error(DiagnosticKind::DuplicateName, instruction, formatted("output {} is set twice", at->value));
    } else {
      const auto declared = values_.tensor_type(at->slot.type, instruction);
      if (declared && *declared != graph_[*value].type) {
        error(DiagnosticKind::TypeMismatch, instruction,
              formatted("output {} is {}, and the type of the graph has {}", at->value, text_of(graph_[*value].type),
                        text_of(*declared)));
      }
      graph_.outputs[at->value] = *value;
    }
  }

  void extract(const Instruction& instruction) {
    const auto composite = results_.find(instruction.operand(2));
    const std::uint32_t member = instruction.operand(3);
    if (composite == results_.end() || instruction.operands.size() != 4 || member >= composite->second.size()) {
      error(DiagnosticKind::UnknownReference, instruction,
            formatted("%{} is not a result with a member {}", instruction.operand(2), member));
      return;
    }
    results_[instruction.result] = {composite->second[member]};
  }

  // An operand tensor: an input, a result, or a constant, which becomes a value at its first use.
  std::optional<ValueId> tensor(spirv::Id id, const Instruction& user) {
    if (const auto known = results_.find(id); known != results_.end()) {
      if (known->second.size() == 1) return known->second[0];
      error(DiagnosticKind::TypeMismatch, user, formatted("%{} has several results; OpCompositeExtract takes one", id));
      return std::nullopt;
    }
    const Instruction* definition = module_.definition(id);
    if (definition && definition->op == spv::Op::OpGraphConstantARM) {
      const auto type = values_.tensor_type(definition->type, *definition);
      if (!type) return std::nullopt;
      const ValueId value = graph_.add_graph_constant(*type, definition->operand(2));
      results_[id] = {value};
      return value;
    }
    auto constant = values_.constant(id, user);
    if (!constant) return std::nullopt;
    if (constant->type.shape.empty()) {
      error(DiagnosticKind::TypeMismatch, user, formatted("%{} is a scalar where a tensor is taken", id));
      return std::nullopt;
    }
    const ValueId value = graph_.add_constant(std::move(constant->type), std::move(constant->data), constant->splat);
    results_[id] = {value};
    return value;
  }

  void operation(const Instruction& instruction) {
    const auto set = sets_.find(instruction.operand(2));
    const std::string_view name = set == sets_.end() ? std::string_view{} : set->second;
    const std::uint32_t number = instruction.operand(3);
    if (name.starts_with("NonSemantic.")) return;
    if (name.starts_with(kCustomSetPrefix)) return custom(instruction);
    const OperatorInfo* info = name == kTosaSet           ? find_operator(InstructionSet::Tosa, number)
                               : name == kMotionEngineSet ? find_operator(InstructionSet::MotionEngine, number)
                                                          : nullptr;
    if (!info) {
      error(DiagnosticKind::Unsupported, instruction,
            name == kTosaSet || name == kMotionEngineSet
                ? formatted("`{}` has no operator {}", name, number)
                : formatted("Unsupported graph extended instruction set `{}`; supported are {}, {} and {}1", name,
                            kTosaSet, kMotionEngineSet, kCustomSetPrefix));
      return;
    }
    const auto types = values_.result_types(instruction.type, instruction);
    OpenOperator whole{.op = info->op, .inputs = {}, .attributes = {}, .result = {}, .open = {}};
    if (!operands(*info, instruction, whole) || !types) return;
    if (is_open(graph_, whole)) {
      whole.result = types->front();
      return close(*info, instruction, whole);
    }
    results_[instruction.result] =
        graph_.add_node(info->op, std::move(whole.inputs), std::move(whole.attributes), *types);
    graph_.nodes.back().location = module_.location(instruction);
  }

  // An operator with operands that are not constant, as TOSA requires: a warning of runs.
  void close(const OperatorInfo& info, const Instruction& instruction, const OpenOperator& whole) {
    const std::size_t first = graph_.nodes.size();
    const auto closed = close_operator(graph_, whole);
    if (!closed) {
      error(DiagnosticKind::TypeMismatch, instruction, formatted("{}: {}", info.name, closed.error()));
      return;
    }
    for (std::size_t i = first; i < graph_.nodes.size(); ++i) graph_.nodes[i].location = module_.location(instruction);
    for (const std::string& warning : closed->warnings)
      diagnostics_.rule(DiagnosticKind::TypeMismatch, module_.location(instruction),
                        formatted("{}: {}", info.name, warning));
    results_[instruction.result] = {closed->result};
  }

  bool operands(const OperatorInfo& info, const Instruction& instruction, OpenOperator& to) {
    const auto arguments = instruction.operands.subspan(4);
    const bool variadic = !info.operands.empty() && info.operands.back().variadic;
    const auto wanted = static_cast<std::size_t>(std::ranges::count(info.operands, false, &OperandInfo::optional));
    if (variadic ? arguments.size() < wanted : arguments.size() != wanted) {
      error(DiagnosticKind::FileFormat, instruction,
            formatted("{} has {} operands instead of {}{}", info.name, arguments.size(), wanted,
                      variadic ? " or more" : ""));
      return false;
    }
    bool ok = true;
    for (std::size_t i = 0; i < arguments.size(); ++i) {
      const OperandInfo& operand = info.operands[std::min(i, info.operands.size() - 1)];
      if (operand.is_tensor()) {
        const auto value = tensor(arguments[i], instruction);
        ok &= value.has_value();
        if (value) to.inputs.push_back(*value);
      } else if (is_open_operand(operand, arguments[i])) {
        const auto value = tensor(arguments[i], instruction);
        ok &= value.has_value();
        if (value) to.open.push_back({operand.name, *value});
        to.attributes.set(operand.name, std::int64_t{0});
      } else {
        ok &= attribute(info, operand, arguments[i], instruction, to.attributes);
      }
    }
    return ok;
  }

  // A tensor of one element that is known only when the model runs.
  bool is_open_operand(const OperandInfo& operand, spirv::Id id) const {
    if (operand.kind != OperandKind::One && operand.kind != OperandKind::ZeroPoint) return false;
    const Instruction* definition = module_.definition(id);
    if (!definition) return false;
    switch (definition->op) {
      case spv::Op::OpGraphInputARM:
      case spv::Op::OpGraphConstantARM:
      case spv::Op::OpExtInst:
      case spv::Op::OpCompositeExtract:
        return true;
      default:
        return false;
    }
  }

  // A constant operand: a scalar for numbers, flags and enumerants, a tensor of rank 1 for lists, of one element for
  // the rest.
  bool attribute(const OperatorInfo& info, const OperandInfo& operand, spirv::Id id, const Instruction& user,
                 Attributes& attributes) {
    const auto constant = values_.constant(id, user);
    if (!constant) return false;
    const TensorType& type = constant->type;
    const bool scalar =
        operand.kind != OperandKind::List && operand.kind != OperandKind::One && operand.kind != OperandKind::ZeroPoint;
    const auto wrong = [&](std::string_view wanted) {
      error(DiagnosticKind::TypeMismatch, user,
            formatted("`{}` of {} is {}; it has to be {}", operand.name, info.name, text_of(type), wanted));
      return false;
    };
    if (scalar != type.shape.empty()) return wrong(scalar ? "a scalar" : "a tensor");
    const tensor::ElementType storage = storage_of(type.data);
    const std::size_t size = tensor::size_of(storage);
    if (operand.kind == OperandKind::List) {
      if (type.shape.size() != 1 || type.data != DataType::I32) return wrong("i32 of rank 1");
      if (type.shape[0] > kMaxList) return wrong(formatted("of {} elements at most", kMaxList));
      std::vector<std::int64_t> values;
      for (std::int64_t i = 0; i < type.shape[0]; ++i)
        values.push_back(load<std::int32_t>(&constant->data[constant->splat ? 0 : static_cast<std::size_t>(i) * size]));
      attributes.set(operand.name, std::move(values));
      return true;
    }
    if (!scalar && type.shape != tensor::Shape{1}) return wrong("a tensor of one element");
    if (operand.kind == OperandKind::Flag && type.data != DataType::Bool) return wrong("a bool");
    const bool typed = operand.kind == OperandKind::Value || operand.kind == OperandKind::One ||
                       operand.kind == OperandKind::ZeroPoint;
    if (!typed && operand.kind != OperandKind::Flag && type.data != DataType::I32) return wrong("i32");
    const tensor::Number number = tensor::number_of(storage, constant->data.data());
    if (is_float(type.data))
      attributes.set_real(operand.name, tensor::double_of(number));
    else
      attributes.set(operand.name, std::visit([](auto x) { return static_cast<std::int64_t>(x); }, number));
    return true;
  }

  // CALL of Arm.ExperimentalMLOperations: opcode, name, attributes, tensors
  // (docs/spec/vgf.md#other-instruction-sets).
  void custom(const Instruction& instruction) {
    if (instruction.operand(3) != 0 || instruction.operands.size() < 7) {
      error(DiagnosticKind::Unsupported, instruction,
            "an instruction of an experimental set other than CALL with name and attributes");
      return;
    }
    const auto name = values_.text(instruction.operand(5), instruction),
               attributes = values_.text(instruction.operand(6), instruction);
    const auto types = values_.result_types(instruction.type, instruction);
    std::vector<ValueId> inputs;
    for (const spirv::Id argument : instruction.operands.subspan(7)) {
      const auto value = tensor(argument, instruction);
      if (!value) return;
      inputs.push_back(*value);
    }
    if (!name || !attributes || !types) return;
    results_[instruction.result] = graph_.add_node(Op::CUSTOM, std::move(inputs), {}, *types);
    graph_.nodes.back().location = module_.location(instruction);
    graph_.nodes.back().custom = std::make_shared<CustomOperator>("com.arm.bespoke", *name, *attributes);
  }

  // Names of operators and tensors in debug information.
  void debug_names() {
    for (const Instruction& instruction : module_.instructions()) {
      if (instruction.op != spv::Op::OpExtInst) continue;
      const auto set = sets_.find(instruction.operand(2));
      if (set == sets_.end() || !set->second.starts_with(kDebugSetPrefix)) continue;
      if (instruction.operand(3) == kDebugOperation) {
        const std::string_view name = string(instruction.operand(5));
        for (std::size_t i = 6; i < instruction.operands.size(); ++i) {
          const auto made = results_.find(instruction.operands[i]);
          if (made == results_.end() || made->second.empty() || !graph_.producer(made->second[0])) continue;
          graph_.nodes[graph_[made->second[0]].source].name = name;
        }
      } else if (instruction.operand(3) == kDebugTensor) {
        const auto made = results_.find(instruction.operand(4));
        if (made != results_.end() && made->second.size() == 1)
          graph_[made->second[0]].name = string(instruction.operand(5));
      }
    }
  }

  std::string_view string(spirv::Id id) const {
    const Instruction* definition = module_.definition(id);
    return definition && definition->op == spv::Op::OpString ? definition->string(1) : std::string_view{};
  }

  const spirv::Module& module_;
  Diagnostics& diagnostics_;
  SpirvValues values_;
  Graph graph_;
  std::map<spirv::Id, std::string_view> sets_;
  std::set<spirv::Id> used_sets_;
  std::map<spirv::Id, Binding> bindings_;
  std::uint32_t input_count_ = 0;
  spirv::WordSpan value_types_;  // of the graph's inputs, then outputs
  std::vector<Slot> slots_;      // the same, in this order
  std::set<std::size_t> inputs_;
  std::unordered_map<spirv::Id, std::vector<ValueId>> results_;
};

}  // namespace

std::vector<std::string> graph_entry_points(const spirv::Module& module) {
  std::vector<std::string> names;
  for (const spirv::Instruction& instruction : module.instructions()) {
    if (instruction.op == spv::Op::OpGraphEntryPointARM) names.emplace_back(instruction.string(1));
  }
  return names;
}

std::optional<Graph> read_graph(const spirv::Module& module, std::string_view entry_point, Diagnostics& diagnostics) {
  return GraphReader(module, diagnostics).run(entry_point);
}

}  // namespace slipway::tosa
