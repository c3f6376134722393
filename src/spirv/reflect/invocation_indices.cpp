// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "spirv/reflect/invocation_indices.hpp"

#include <algorithm>
#include <spirv/unified1/spirv.hpp11>
#include <unordered_map>

#include "spirv/reflect/access.hpp"

namespace slipway::spirv {
namespace {

constexpr int kMaxDepth = 32;  // of expressions

class Finder {
 public:
  Finder(const Module& module, const EntryPoint& entry) : module_(module), entry_(entry), functions_(module) {
    reachable_ = functions_.reachable(entry.id);
    for (const Instruction& one : module.instructions()) {
      if (one.op == spv::Op::OpFunction) break;
      if (one.op == spv::Op::OpDecorate && one.operand(1) == static_cast<std::uint32_t>(spv::Decoration::BuiltIn) &&
          one.operand(2) == static_cast<std::uint32_t>(spv::BuiltIn::GlobalInvocationId))
        invocation_ = one.operand(0);
    }
    for (const Id function : reachable_) {
      for (const Instruction& one : functions_.body(function)) {
        if (one.op != spv::Op::OpStore) continue;
        // A second store, or a store to a part, makes the contents of a variable unknown.
        const auto [first, fresh] = stored_.emplace(base_of(one.operand(0)), one.operand(1));
        if (!fresh || base_of(one.operand(0)) != one.operand(0)) first->second = 0;
      }
    }
  }

  std::vector<InvocationIndex> run() {
    std::vector<InvocationIndex> all;
    if (invocation_ == 0) return all;
    for (const Id function : reachable_) {
      for (const Instruction& one : functions_.body(function)) {
        if (!add_write(one, all)) return {};
      }
    }
    return all;
  }

 private:
  struct Linear {
    std::uint32_t dimension;
    std::uint64_t factor;
  };

  const Instruction* definition(Id id) const { return module_.definition(id); }
  bool is(Id id, spv::Op op) const {
    const Instruction* found = definition(id);
    return found && found->op == op;
  }
  std::optional<std::uint64_t> constant(Id id) const {
    const Instruction* found = definition(id);
    if (!found || found->op != spv::Op::OpConstant) return std::nullopt;
    const Instruction* type = definition(found->type);
    if (!type || type->op != spv::Op::OpTypeInt || type->operand(1) != 32) return std::nullopt;
    // A negative number is not a factor, and not an offset that keeps an index large.
    const std::uint32_t value = found->operand(2);
    return type->operand(2) != 0 && (value >> 31) != 0 ? std::nullopt : std::optional<std::uint64_t>(value);
  }

  static bool is_chain(const Instruction& one) {
    return one.op == spv::Op::OpAccessChain || one.op == spv::Op::OpInBoundsAccessChain;
  }
  // The variable that a pointer or a handle is derived from.
  Id base_of(Id pointer) const {
    for (int depth = 0; depth < kMaxDepth; ++depth) {
      const Instruction* found = definition(pointer);
      const bool derived = found && (is_chain(*found) || found->op == spv::Op::OpLoad ||
                                     found->op == spv::Op::OpImageTexelPointer || found->op == spv::Op::OpCopyObject);
      if (!derived) return pointer;
      pointer = found->operand(2);
    }
    return pointer;
  }

  // Whether the instruction writes nothing outside, or what is known.
  bool add_write(const Instruction& one, std::vector<InvocationIndex>& all) const {
    const auto binding_at = [&](Id pointer) {
      const auto found = std::ranges::find(entry_.bindings, base_of(pointer), &Binding::variable);
      return found == entry_.bindings.end() ? nullptr : &*found;
    };
    switch (one.op) {
      case spv::Op::OpStore:
        return !binding_at(one.operand(0)) || add_element(one.operand(0), all);
      case spv::Op::OpImageWrite:
        return binding_at(one.operand(0)) && add_coordinates(base_of(one.operand(0)), one.operand(1), all);
      case spv::Op::OpTensorWriteARM:
        return binding_at(one.operand(0)) && add_coordinates(base_of(one.operand(0)), one.operand(1), all);
      case spv::Op::OpCopyMemory:
      case spv::Op::OpCopyMemorySized:
        return !binding_at(one.operand(0));
      default: {
        // Atomics: a counter that all invocations increase has no index.
        const auto code = static_cast<std::uint32_t>(one.op);
        const bool atomic = code >= static_cast<std::uint32_t>(spv::Op::OpAtomicStore) &&
                            code <= static_cast<std::uint32_t>(spv::Op::OpAtomicXor);
        return !atomic || !binding_at(one.operand(one.op == spv::Op::OpAtomicStore ? 0 : 2));
      }
    }
  }

  // An element of the array that is the last member of a block.
  bool add_element(Id pointer, std::vector<InvocationIndex>& all) const {
    const Instruction* chain = definition(pointer);
    constexpr std::size_t kBase = 2, kMember = 3, kIndex = 4;
    if (!chain || !is_chain(*chain) || chain->operands.size() <= kIndex) return false;
    const Instruction* variable = definition(chain->operand(kBase));
    const Instruction* pointer_type = variable ? definition(variable->type) : nullptr;
    const Instruction* block = pointer_type ? definition(pointer_type->operand(2)) : nullptr;
    const auto member = constant(chain->operand(kMember));
    if (!block || block->op != spv::Op::OpTypeStruct || !member) return false;
    const Instruction* array = definition(block->operand(1 + *member));
    const auto linear = linear_of(chain->operand(kIndex), 0, 0);
    if (!array || !linear) return false;
    const bool open = array->op == spv::Op::OpTypeRuntimeArray;
    const auto length = open ? std::nullopt : constant(array->operand(2));
    if (!open && (array->op != spv::Op::OpTypeArray || !length)) return false;
    all.push_back({variable->result, 0, linear->dimension, linear->factor, length});
    return true;
  }

  bool add_coordinates(Id variable, Id coordinates, std::vector<InvocationIndex>& all) const {
    bool found = false;
    const Instruction* value = definition(coordinates);
    const Instruction* type = value ? definition(value->type) : nullptr;
    std::uint64_t count = 1;
    if (type && type->op == spv::Op::OpTypeVector) count = type->operand(2);
    if (type && type->op == spv::Op::OpTypeArray) count = constant(type->operand(2)).value_or(1);
    for (std::uint32_t i = 0; i < count; ++i) {
      const auto linear = linear_of(coordinates, i, 0);
      if (linear) all.push_back({variable, i, linear->dimension, linear->factor, {}});
      found |= linear.has_value();
    }
    return found;
  }

  // A component of a value, or the value itself, if it is at least a multiple of the number of the invocation.
  std::optional<Linear> linear_of(Id value, std::uint32_t component, int depth) const {
    const Instruction* one = definition(value);
    if (!one || depth > kMaxDepth) return std::nullopt;
    const auto follow = [&](Id next, std::uint32_t part) { return linear_of(next, part, depth + 1); };
    switch (one->op) {
      case spv::Op::OpLoad:
        return loaded(one->operand(2), component, depth);
      case spv::Op::OpCompositeExtract:
        return one->operands.size() == 4 ? follow(one->operand(2), one->operand(3)) : std::nullopt;
      case spv::Op::OpCompositeConstruct:
        return constituent(*one, component, depth);
      case spv::Op::OpVectorShuffle: {
        const Instruction* first = definition(one->operand(2));
        const Instruction* type = first ? definition(first->type) : nullptr;
        if (!type || type->op != spv::Op::OpTypeVector || component + 4 >= one->operands.size()) return std::nullopt;
        const std::uint32_t from = one->operand(4 + component), size = type->operand(2);
        return from < size ? follow(one->operand(2), from) : follow(one->operand(3), from - size);
      }
      case spv::Op::OpBitcast:
      case spv::Op::OpUConvert:
      case spv::Op::OpSConvert:
      case spv::Op::OpCopyObject:
        return follow(one->operand(2), component);
      case spv::Op::OpIAdd: {
        const auto first = follow(one->operand(2), component), second = follow(one->operand(3), component);
        const Id other = one->operand(first ? 3 : 2);
        // What is added is at least 0 if it is not a negative constant.
        if (is(other, spv::Op::OpConstant) && !constant(other)) return std::nullopt;
        return first ? first : second;
      }
      case spv::Op::OpIMul: {
        for (const std::size_t operand : {2U, 3U}) {
          const auto factor = constant(one->operand(5 - operand));
          const auto linear = factor && *factor > 0 ? follow(one->operand(operand), component) : std::nullopt;
          if (linear) return Linear{linear->dimension, linear->factor * *factor};
        }
        return std::nullopt;
      }
      case spv::Op::OpShiftLeftLogical: {
        const auto shift = constant(one->operand(3));
        const auto linear = shift && *shift < 16 ? follow(one->operand(2), component) : std::nullopt;
        return linear ? std::optional(Linear{linear->dimension, linear->factor << *shift}) : std::nullopt;
      }
      default:
        return std::nullopt;
    }
  }

  // Scalars, or one vector after another.
  std::optional<Linear> constituent(const Instruction& composite, std::uint32_t component, int depth) const {
    for (std::size_t i = 2; i < composite.operands.size(); ++i) {
      const Instruction* part = definition(composite.operand(i));
      const Instruction* type = part ? definition(part->type) : nullptr;
      if (!type) return std::nullopt;
      const std::uint32_t size = type->op == spv::Op::OpTypeVector ? type->operand(2) : 1;
      if (component < size) return linear_of(part->result, component, depth + 1);
      component -= size;
    }
    return std::nullopt;
  }

  std::optional<Linear> loaded(Id pointer, std::uint32_t component, int depth) const {
    const Id base = base_of(pointer);
    if (base != pointer) {
      const Instruction* chain = definition(pointer);
      if (!chain || !is_chain(*chain) || chain->operands.size() != 4) return std::nullopt;
      const auto index = constant(chain->operand(3));
      if (!index) return std::nullopt;
      component = static_cast<std::uint32_t>(*index);
    }
    if (base == invocation_) return component < 3 ? std::optional(Linear{component, 1}) : std::nullopt;
    const auto stored = stored_.find(base);
    if (stored == stored_.end() || stored->second == 0 || !is(base, spv::Op::OpVariable)) return std::nullopt;
    const Instruction& variable = *definition(base);
    const bool local = variable.operand(2) == static_cast<std::uint32_t>(spv::StorageClass::Function);
    if (!local || variable.operands.size() > 3) return std::nullopt;  // with an initializer
    return linear_of(stored->second, component, depth + 1);
  }

  const Module& module_;
  const EntryPoint& entry_;
  Functions functions_;
  std::vector<Id> reachable_;
  Id invocation_ = 0;                  // the variable GlobalInvocationID
  std::unordered_map<Id, Id> stored_;  // by variable: the value of its only store, else 0
};

}  // namespace

std::vector<InvocationIndex> written_indices(const Module& module, const EntryPoint& entry) {
  return Finder(module, entry).run();
}

}  // namespace slipway::spirv
