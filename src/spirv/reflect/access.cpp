// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "spirv/reflect/access.hpp"

#include <algorithm>
#include <array>
#include <spirv/unified1/spirv.hpp11>
#include <unordered_set>

namespace slipway::spirv {
namespace {

enum Effect : std::uint8_t { kNone = 0, kRead = 1, kWrite = 2, kReadWrite = 3, kDerive = 4 };

// What an instruction does with the pointer or handle at an index of its operands, type and result included.
struct AccessRule {
  spv::Op op;
  std::uint8_t operand;
  Effect effect;
};

// An instruction that is not here and not in `Analysis::visit` counts as reading and writing its operands.
constexpr AccessRule kRules[] = {
    {spv::Op::OpAccessChain, 2, kDerive},
    {spv::Op::OpInBoundsAccessChain, 2, kDerive},
    {spv::Op::OpPtrAccessChain, 2, kDerive},
    {spv::Op::OpInBoundsPtrAccessChain, 2, kDerive},
    {spv::Op::OpUntypedAccessChainKHR, 3, kDerive},
    {spv::Op::OpUntypedInBoundsAccessChainKHR, 3, kDerive},
    {spv::Op::OpUntypedPtrAccessChainKHR, 3, kDerive},
    {spv::Op::OpUntypedInBoundsPtrAccessChainKHR, 3, kDerive},
    {spv::Op::OpCopyObject, 2, kDerive},
    {spv::Op::OpSelect, 3, kDerive},
    {spv::Op::OpSelect, 4, kDerive},
    {spv::Op::OpCompositeExtract, 2, kDerive},
    {spv::Op::OpBitcast, 2, kDerive},
    {spv::Op::OpImageTexelPointer, 2, kDerive},
    {spv::Op::OpUntypedImageTexelPointerEXT, 3, kDerive},
    {spv::Op::OpSampledImage, 2, kDerive},
    {spv::Op::OpSampledImage, 3, kDerive},
    {spv::Op::OpImage, 2, kDerive},

    {spv::Op::OpStore, 0, kWrite},
    {spv::Op::OpCopyMemory, 0, kWrite},
    {spv::Op::OpCopyMemory, 1, kRead},
    {spv::Op::OpCopyMemorySized, 0, kWrite},
    {spv::Op::OpCopyMemorySized, 1, kRead},
    {spv::Op::OpAtomicLoad, 2, kRead},
    {spv::Op::OpAtomicStore, 0, kWrite},
    {spv::Op::OpAtomicFlagClear, 0, kWrite},
    {spv::Op::OpCooperativeMatrixLoadKHR, 2, kRead},
    {spv::Op::OpCooperativeMatrixStoreKHR, 0, kWrite},
    {spv::Op::OpCooperativeMatrixLoadNV, 2, kRead},
    {spv::Op::OpCooperativeMatrixStoreNV, 0, kWrite},
    {spv::Op::OpCooperativeMatrixLoadTensorNV, 2, kRead},
    {spv::Op::OpCooperativeMatrixStoreTensorNV, 0, kWrite},
    {spv::Op::OpCooperativeVectorLoadNV, 2, kRead},
    {spv::Op::OpCooperativeVectorStoreNV, 0, kWrite},
    {spv::Op::OpCooperativeVectorMatrixMulNV, 4, kRead},
    {spv::Op::OpCooperativeVectorMatrixMulAddNV, 4, kRead},
    {spv::Op::OpCooperativeVectorMatrixMulAddNV, 7, kRead},

    {spv::Op::OpImageSampleImplicitLod, 2, kRead},
    {spv::Op::OpImageSampleExplicitLod, 2, kRead},
    {spv::Op::OpImageSampleDrefImplicitLod, 2, kRead},
    {spv::Op::OpImageSampleDrefExplicitLod, 2, kRead},
    {spv::Op::OpImageSampleProjImplicitLod, 2, kRead},
    {spv::Op::OpImageSampleProjExplicitLod, 2, kRead},
    {spv::Op::OpImageSampleProjDrefImplicitLod, 2, kRead},
    {spv::Op::OpImageSampleProjDrefExplicitLod, 2, kRead},
    {spv::Op::OpImageFetch, 2, kRead},
    {spv::Op::OpImageGather, 2, kRead},
    {spv::Op::OpImageDrefGather, 2, kRead},
    {spv::Op::OpImageRead, 2, kRead},
    {spv::Op::OpImageWrite, 0, kWrite},
    {spv::Op::OpImageSparseSampleImplicitLod, 2, kRead},
    {spv::Op::OpImageSparseSampleExplicitLod, 2, kRead},
    {spv::Op::OpImageSparseSampleDrefImplicitLod, 2, kRead},
    {spv::Op::OpImageSparseSampleDrefExplicitLod, 2, kRead},
    {spv::Op::OpImageSparseFetch, 2, kRead},
    {spv::Op::OpImageSparseGather, 2, kRead},
    {spv::Op::OpImageSparseDrefGather, 2, kRead},
    {spv::Op::OpImageSparseRead, 2, kRead},

    {spv::Op::OpTensorReadARM, 2, kRead},
    {spv::Op::OpTensorWriteARM, 0, kWrite},

    {spv::Op::OpTraceRayKHR, 0, kRead},
    {spv::Op::OpRayQueryInitializeKHR, 1, kRead},

    // Queries about a resource, which do not access its contents.
    {spv::Op::OpArrayLength, 2, kNone},
    {spv::Op::OpUntypedArrayLengthKHR, 3, kNone},
    {spv::Op::OpPtrEqual, 2, kNone},
    {spv::Op::OpPtrNotEqual, 2, kNone},
    {spv::Op::OpPtrDiff, 2, kNone},
    {spv::Op::OpImageQueryFormat, 2, kNone},
    {spv::Op::OpImageQueryOrder, 2, kNone},
    {spv::Op::OpImageQuerySizeLod, 2, kNone},
    {spv::Op::OpImageQuerySize, 2, kNone},
    {spv::Op::OpImageQueryLod, 2, kNone},
    {spv::Op::OpImageQueryLevels, 2, kNone},
    {spv::Op::OpImageQuerySamples, 2, kNone},
    {spv::Op::OpTensorQuerySizeARM, 2, kNone},
};

// Handles are loaded to be used later; loading them does not access contents.
constexpr std::array kHandleTypes = {spv::Op::OpTypeImage,        spv::Op::OpTypeSampler,
                                     spv::Op::OpTypeSampledImage, spv::Op::OpTypeAccelerationStructureKHR,
                                     spv::Op::OpTypeTensorARM,    spv::Op::OpTypePointer};

class Analysis {
 public:
  Analysis(const Module& module, const Functions& functions, Id entry_point) : module_(module) {
    for (const Instruction& instruction : module.instructions()) {
      if (instruction.op == spv::Op::OpFunction) break;
      if (instruction.op == spv::Op::OpVariable || instruction.op == spv::Op::OpUntypedVariableKHR) {
        variables_.insert(instruction.result);
      }
    }
    for (const Id function : functions.reachable(entry_point)) {
      for (const Instruction& instruction : functions.body(function)) visit(instruction, function, functions);
    }
    propagate();
  }

  std::unordered_map<Id, Access> result() const {
    std::unordered_map<Id, Access> accesses;
    for (const Id variable : used_) {
      const auto node = nodes_.find(variable);
      const std::uint8_t effects = node == nodes_.end() ? 0 : node->second.effects;
      accesses[variable] = {.used = true, .reads = (effects & kRead) != 0, .writes = (effects & kWrite) != 0};
    }
    return accesses;
  }

 private:
  struct Node {
    std::uint8_t effects = 0;
    std::vector<Id> derived_from;
  };

  // Instructions of debug information name variables without using them.
  bool is_debug_information(const Instruction& instruction) const {
    const Instruction* set =
        instruction.op == spv::Op::OpExtInst ? module_.definition(instruction.operand(2)) : nullptr;
    if (set == nullptr || set->op != spv::Op::OpExtInstImport) return false;
    const std::string_view name = set->string(1);
    return name.starts_with("NonSemantic.") || name == "OpenCL.DebugInfo.100" || name == "DebugInfo";
  }

  bool is_handle(Id type) const {
    const Instruction* definition = module_.definition(type);
    return definition != nullptr && std::ranges::contains(kHandleTypes, definition->op);
  }

  void add(Id id, Effect effect) { nodes_[id].effects |= effect; }
  void derive(Id id, Id from) { nodes_[id].derived_from.push_back(from); }

  void visit(const Instruction& instruction, Id function, const Functions& functions) {
    if (is_debug_information(instruction)) return;
    note_uses(instruction);
    switch (instruction.op) {
      case spv::Op::OpLoad:
        if (is_handle(instruction.type)) {
          derive(instruction.result, instruction.operand(2));
          derive(instruction.result, contents(root(instruction.operand(2))));
        } else {
          add(instruction.operand(2), kRead);
        }
        break;
      case spv::Op::OpStore:
        add(instruction.operand(0), kWrite);
        derive(contents(root(instruction.operand(0))), instruction.operand(1));
        break;
      case spv::Op::OpPhi:
        for (std::size_t i = 2; i < instruction.operands.size(); i += 2)
          derive(instruction.result, instruction.operand(i));
        break;
      case spv::Op::OpFunctionCall:
        visit_call(instruction, functions);
        break;
      case spv::Op::OpReturnValue:
        derive(function, instruction.operand(0));
        break;
      case spv::Op::OpExtInst:
        // `modf` and `frexp` write through a pointer; nothing in GLSL.std.450 reads a resource through one.
        for (const Id operand : instruction.operands.subspan(4)) add(operand, kWrite);
        break;
      default:
        visit_by_rules(instruction);
        break;
    }
  }

  void note_uses(const Instruction& instruction) {
    for (std::size_t i = 0; i < instruction.operands.size(); ++i) {
      const Id id = instruction.operands[i];
      if (module_.is_id(instruction.offset + 1 + static_cast<std::uint32_t>(i)) && variables_.contains(id)) {
        used_.insert(id);
      }
    }
  }

  void visit_call(const Instruction& call, const Functions& functions) {
    const Id callee = call.operand(2);
    derive(call.result, callee);
    std::size_t argument = 3;
    for (const Instruction& instruction : functions.body(callee)) {
      if (instruction.op == spv::Op::OpFunction) continue;
      if (instruction.op != spv::Op::OpFunctionParameter) break;
      derive(instruction.result, call.operand(argument++));
    }
  }

  void visit_by_rules(const Instruction& instruction) {
    bool known = false;
    for (const AccessRule& rule : kRules) {
      if (rule.op != instruction.op) continue;
      known = true;
      const Id operand = instruction.operand(rule.operand);
      if (rule.effect == kDerive) {
        derive(instruction.result, operand);
      } else if (rule.effect != kNone) {
        add(operand, rule.effect);
      }
    }
    if (known) return;
    for (std::size_t i = 0; i < instruction.operands.size(); ++i) {
      if (!module_.is_id(instruction.offset + 1 + static_cast<std::uint32_t>(i))) continue;
      const Id id = instruction.operands[i];
      if (id != instruction.type && id != instruction.result) add(id, kReadWrite);
    }
  }

  // Represents the pointer or handle that a variable holds: a load returns what was stored, and an access to it is not
  // an access to the variable. Ids have 22 bits.
  static Id contents(Id variable) { return variable | 0x80000000; }

  // The variable at the start of access chains.
  Id root(Id pointer) const {
    constexpr int kMaxChain = 64;  // a bound for malformed modules: chains of chains are short
    for (int i = 0; i < kMaxChain; ++i) {
      const auto node = nodes_.find(pointer);
      if (node == nodes_.end() || node->second.derived_from.size() != 1) break;
      pointer = node->second.derived_from[0];
    }
    return pointer;
  }

  // Each node takes part at most once for each effect that it gains.
  void propagate() {
    std::vector<Id> pending;
    for (const auto& [id, node] : nodes_) {
      if (node.effects != 0) pending.push_back(id);
    }
    while (!pending.empty()) {
      const Id id = pending.back();
      pending.pop_back();
      const auto node = nodes_.find(id);
      const std::uint8_t effects = node->second.effects;
      for (const Id from : std::vector(node->second.derived_from)) {
        Node& parent = nodes_[from];
        if ((parent.effects | effects) == parent.effects) continue;
        parent.effects |= effects;
        pending.push_back(from);
      }
    }
  }

  const Module& module_;
  std::unordered_set<Id> variables_;  // of the module's scope
  std::unordered_set<Id> used_;
  std::unordered_map<Id, Node> nodes_;
};

}  // namespace

Functions::Functions(const Module& module) {
  const std::span<const Instruction> all = module.instructions();
  for (std::size_t begin = 0; begin < all.size(); ++begin) {
    if (all[begin].op != spv::Op::OpFunction) continue;
    std::size_t end = begin + 1;
    while (end < all.size() && all[end].op != spv::Op::OpFunctionEnd && all[end].op != spv::Op::OpFunction) ++end;
    bodies_[all[begin].result] = all.subspan(begin, end - begin);
    begin = end - 1;
  }
}

std::span<const Instruction> Functions::body(Id function) const {
  const auto found = bodies_.find(function);
  return found == bodies_.end() ? std::span<const Instruction>() : found->second;
}

std::vector<Id> Functions::reachable(Id function) const {
  std::vector<Id> reached;
  std::unordered_set<Id> seen;
  const auto reach = [&](Id id) {
    if (bodies_.contains(id) && seen.insert(id).second) reached.push_back(id);
  };
  reach(function);
  for (std::size_t i = 0; i < reached.size(); ++i) {  // NOLINT(modernize-loop-convert): the list grows
    for (const Instruction& instruction : body(reached[i])) {
      if (instruction.op == spv::Op::OpFunctionCall) reach(instruction.operand(2));
    }
  }
  return reached;
}

std::unordered_map<Id, Access> find_accesses(const Module& module, const Functions& functions, Id entry_point) {
  return Analysis(module, functions, entry_point).result();
}

}  // namespace slipway::spirv
