// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "spirv/reflect/reflect.hpp"

#include <algorithm>
#include <spirv/unified1/spirv.hpp11>

#include "base/format.hpp"
#include "spirv/reflect/reflect_parts.hpp"

namespace slipway::spirv {
namespace {

// The execution modes of a module, by entry point.
using Modes = std::multimap<Id, const Instruction*>;

bool has_workgroups(Stage stage) {
  return stage == Stage::Compute || stage == Stage::Kernel || stage == Stage::Task || stage == Stage::Mesh ||
         stage == Stage::TaskNV || stage == Stage::MeshNV;
}

class Reflector {
 public:
  explicit Reflector(const ModuleView& view) : view_(view), variables_(module_variables(view.module)) {}

  Result<Reflection> reflect() {
    reflection_.version = view_.module.version();
    auto bindings = reflect_bindings(view_, variables_);
    if (!bindings) return std::unexpected(std::move(bindings.error()));
    bindings_ = std::move(*bindings);
    auto constants = reflect_specialization_constants(view_);
    if (!constants) return std::unexpected(std::move(constants.error()));
    reflection_.specialization_constants = std::move(*constants);

    std::vector<const Instruction*> entry_points;
    for (const Instruction& instruction : view_.module.instructions()) {
      if (Result<> done = read_global(instruction, entry_points); !done) {
        return std::unexpected(std::move(done.error()));
      }
    }
    for (const Instruction* instruction : entry_points) {
      auto entry_point =
          instruction->op == spv::Op::OpEntryPoint ? read_shader(*instruction) : read_graph(*instruction);
      if (!entry_point) return std::unexpected(std::move(entry_point.error()));
      reflection_.entry_points.push_back(std::move(*entry_point));
    }
    std::ranges::sort(reflection_.graph_constants, {}, &GraphConstant::constant_id);
    return std::move(reflection_);
  }

 private:
  std::unexpected<Failure> fail_at(const Instruction& instruction, std::string message) const {
    return fail(DiagnosticKind::FileFormat, view_.module.location(instruction), std::move(message));
  }

  Result<> read_global(const Instruction& instruction, std::vector<const Instruction*>& entry_points) {
    switch (instruction.op) {
      case spv::Op::OpCapability:
        reflection_.capabilities.emplace_back(
            spv::CapabilityToString(static_cast<spv::Capability>(instruction.operand(0))));
        break;
      case spv::Op::OpExtension:
        reflection_.extensions.emplace_back(instruction.string(0));
        break;
      case spv::Op::OpExtInstImport:
        reflection_.instruction_sets.emplace_back(instruction.string(1));
        break;
      case spv::Op::OpExecutionMode:
      case spv::Op::OpExecutionModeId:
        modes_.emplace(instruction.operand(0), &instruction);
        break;
      case spv::Op::OpEntryPoint:
      case spv::Op::OpGraphEntryPointARM:
        entry_points.push_back(&instruction);
        break;
      case spv::Op::OpGraphConstantARM:
        return read_graph_constant(instruction);
      default:
        break;
    }
    return {};
  }

  // --- shaders -----------------------------------------------------------------------------------------------------

  Result<EntryPoint> read_shader(const Instruction& instruction) {
    EntryPoint entry_point = start(instruction, static_cast<Stage>(instruction.operand(0)), 1);
    if (view_.functions.body(entry_point.id).empty()) {
      return fail_at(instruction, formatted("entry point `{}` names %{}, which is not a function", entry_point.name,
                                            entry_point.id));
    }
    const auto accesses = find_accesses(view_.module, view_.functions, entry_point.id);
    entry_point.bindings = bindings_;
    for (Binding& binding : entry_point.bindings) {
      const auto found = accesses.find(binding.variable);
      if (found == accesses.end()) continue;
      binding.used = true;
      binding.reads = found->second.reads && !is_non_readable(view_, binding);
      binding.writes = found->second.writes && !is_non_writable(view_, binding);
    }
    if (has_workgroups(entry_point.stage)) entry_point.local_size = local_size(entry_point.id);
    Result<> read = read_shared_memory(instruction, accesses, entry_point)
                        .and_then([&] { return read_push_constants(accesses, entry_point); })
                        .and_then([&] { return read_interface(entry_point); });
    if (!read) return std::unexpected(std::move(read.error()));
    return entry_point;
  }

  // `first` is the index of the function or graph among the operands; its name and interface follow.
  static EntryPoint start(const Instruction& instruction, Stage stage, std::size_t first) {
    EntryPoint entry_point{
        .stage = stage, .name = std::string(instruction.string(first + 1)), .id = instruction.operand(first)};
    const WordSpan interface = instruction.operands.subspan(first + 1 + string_words(entry_point.name));
    entry_point.interface.assign(interface.begin(), interface.end());
    return entry_point;
  }

  SpecializedNumber number(Id constant) const {
    SpecializedNumber result{.value = static_cast<std::uint32_t>(view_.constants.value(constant).value_or(0))};
    const Instruction* definition = view_.module.definition(constant);
    if (definition != nullptr && definition->op == spv::Op::OpSpecConstant) {
      result.spec_id = view_.annotations.value(constant, spv::Decoration::SpecId);
    }
    return result;
  }

  // The constant that is decorated as WorkgroupSize has the last word (SPIR-V 1.6, WorkgroupSize).
  std::optional<LocalSize> local_size(Id entry_point) const {
    for (const Instruction& instruction : view_.module.instructions()) {
      if (instruction.result == 0 || view_.constants.size(instruction.result) != 3) continue;
      if (view_.annotations.value(instruction.result, spv::Decoration::BuiltIn) ==
          static_cast<std::uint32_t>(spv::BuiltIn::WorkgroupSize)) {
        const auto part = [&](std::uint64_t i) { return number(view_.constants.constituent(instruction.result, i)); };
        return LocalSize{part(0), part(1), part(2)};
      }
    }
    const auto [begin, end] = modes_.equal_range(entry_point);
    for (auto it = begin; it != end; ++it) {
      const Instruction& mode = *it->second;
      switch (static_cast<spv::ExecutionMode>(mode.operand(1))) {
        case spv::ExecutionMode::LocalSize:
          return LocalSize{SpecializedNumber{mode.operand(2)}, SpecializedNumber{mode.operand(3)},
                           SpecializedNumber{mode.operand(4)}};
        case spv::ExecutionMode::LocalSizeId:
          return LocalSize{number(mode.operand(2)), number(mode.operand(3)), number(mode.operand(4))};
        default:
          break;
      }
    }
    return std::nullopt;
  }

  using Accesses = std::unordered_map<Id, Access>;

  // Vulkan, limits of compute shaders: offsets in standard storage buffer layout, one variable after the other; blocks
  // share their memory.
  Result<> read_shared_memory(const Instruction& instruction, const Accesses& accesses, EntryPoint& entry_point) const {
    Size end = 0;
    Size largest_block = 0;
    for (const Instruction* variable : variables_) {
      if (static_cast<spv::StorageClass>(variable->operand(2)) != spv::StorageClass::Workgroup ||
          !accesses.contains(variable->result)) {
        continue;
      }
      const Instruction* type = view_.types.pointee(*variable);
      if (type == nullptr) continue;
      if (view_.annotations.has(type->result, spv::Decoration::Block)) {
        largest_block = larger(largest_block, view_.types.block_size(type->result));
      } else {
        end = checked_add(checked_round_up(end, view_.types.workgroup_alignment(type->result)),
                          view_.types.workgroup_size(type->result));
      }
    }
    const Size total = larger(end, largest_block);
    if (!total) {
      return fail_at(instruction,
                     formatted("entry point `{}` has shared memory of a size beyond 64 bits", entry_point.name));
    }
    entry_point.shared_memory = *total;
    return {};
  }

  static Size larger(Size a, Size b) { return a && b ? Size(std::max(*a, *b)) : std::nullopt; }

  Result<> read_push_constants(const Accesses& accesses, EntryPoint& entry_point) const {
    for (const Instruction* variable : variables_) {
      if (static_cast<spv::StorageClass>(variable->operand(2)) != spv::StorageClass::PushConstant) continue;
      const bool used = accesses.contains(variable->result);
      if (entry_point.push_constants && !used) continue;
      auto constants = reflect_push_constants(view_, *variable);
      if (!constants) return std::unexpected(std::move(constants.error()));
      entry_point.push_constants = std::move(*constants);
      entry_point.push_constants->used = used;
      if (used) break;
    }
    return {};
  }

  Result<> read_interface(EntryPoint& entry_point) const {
    if (entry_point.stage != Stage::Vertex && entry_point.stage != Stage::Fragment) return {};
    auto inputs = reflect_interface(view_, entry_point.interface, Direction::In);
    if (!inputs) return std::unexpected(std::move(inputs.error()));
    auto outputs = reflect_interface(view_, entry_point.interface, Direction::Out);
    if (!outputs) return std::unexpected(std::move(outputs.error()));
    entry_point.inputs = std::move(*inputs);
    entry_point.outputs = std::move(*outputs);
    return {};
  }

  // --- graphs (SPV_ARM_graph) --------------------------------------------------------------------------------------

  Result<EntryPoint> read_graph(const Instruction& instruction) const {
    EntryPoint entry_point = start(instruction, Stage::Graph, 0);
    const Instruction* graph = view_.module.definition(entry_point.id);
    const Instruction* type = graph == nullptr ? nullptr : view_.module.definition(graph->type);
    if (type == nullptr || graph->op != spv::Op::OpGraphARM || type->op != spv::Op::OpTypeGraphARM) {
      return fail_at(instruction,
                     formatted("entry point `{}` names %{}, which is not a graph", entry_point.name, entry_point.id));
    }
    // The interface lists the inputs of the graph's type, then its outputs.
    const std::uint32_t inputs = type->operand(1);
    for (std::size_t i = 0; i < entry_point.interface.size(); ++i) {
      const auto known = std::ranges::find(bindings_, entry_point.interface[i], &Binding::variable);
      if (known == bindings_.end()) {
        return fail_at(instruction, formatted("`{}` in the interface of graph `{}` has no binding",
                                              view_.label(entry_point.interface[i]), entry_point.name));
      }
      Binding binding = *known;
      binding.used = true;
      binding.reads = i < inputs;
      binding.writes = !binding.reads;
      entry_point.bindings.push_back(std::move(binding));
    }
    return entry_point;
  }

  Result<> read_graph_constant(const Instruction& instruction) {
    const Instruction* type = view_.module.definition(instruction.type);
    const auto tensor =
        type != nullptr && type->op == spv::Op::OpTypeTensorARM ? view_.types.tensor(*type) : std::nullopt;
    if (!tensor) {
      return fail_at(instruction,
                     formatted("graph constant {} is not a tensor of a supported type", instruction.operand(2)));
    }
    reflection_.graph_constants.push_back({.constant_id = instruction.operand(2),
                                           .name = std::string(view_.annotations.name(instruction.result)),
                                           .tensor = *tensor});
    return {};
  }

  const ModuleView& view_;
  std::vector<const Instruction*> variables_;
  std::vector<Binding> bindings_;
  Modes modes_;
  Reflection reflection_;
};

}  // namespace

const EntryPoint* Reflection::find(std::string_view entry_point, Stage stage) const {
  const auto found = std::ranges::find_if(
      entry_points, [&](const EntryPoint& one) { return one.name == entry_point && one.stage == stage; });
  return found == entry_points.end() ? nullptr : &*found;
}

Result<Reflection> reflect(const Module& module, const Specialization& specialization) {
  auto annotations = Annotations::of(module);
  if (!annotations) return std::unexpected(std::move(annotations.error()));
  return Reflector(ModuleView(module, std::move(*annotations), specialization)).reflect();
}

}  // namespace slipway::spirv
