// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The whole rewriting: declarations, then functions, starting with those that take no tensors.
#include "spirv/tensors/emulate.hpp"

#include <algorithm>
#include <deque>
#include <spirv/unified1/spirv.hpp11>
#include <unordered_map>
#include <unordered_set>

#include "base/format.hpp"
#include "spirv/tensors/access_functions.hpp"
#include "spirv/tensors/small_floats.hpp"
#include "spirv/tensors/variables.hpp"

namespace slipway::spirv {
namespace {

constexpr std::string_view kExtension = "SPV_ARM_tensors";
constexpr std::uint32_t kVersion15 = 0x10500;
// SPIR-V 1.6, 2.17: ids are below 4194304. Copies of functions also end there.
constexpr Id kMaxIdBound = 0x3fffff + 1;
constexpr std::size_t kMaxCopiedInstructions = 1 << 20;

bool is_tensor_capability(std::uint32_t capability) {
  switch (static_cast<spv::Capability>(capability)) {
    case spv::Capability::TensorsARM:
    case spv::Capability::StorageTensorArrayDynamicIndexingARM:
    case spv::Capability::StorageTensorArrayNonUniformIndexingARM:
      return true;
    default:
      return false;
  }
}

// What a value or pointer in a function refers to: a tensor, or all tensors of an array of descriptors.
struct TensorRef {
  const TensorVariable* tensor = nullptr;
  bool all = false;
  Id index = 0;  // the descriptor in the array; 0 for a tensor that is not in an array
  Id index_type = 0;
  bool fixed = false;  // the index is a constant
  bool non_uniform = false;

  // Functions that take the tensor take its index.
  bool has_parameter() const { return index != 0 && !fixed; }
};

struct Function {
  std::span<const Instruction> body;    // from OpFunction to OpFunctionEnd
  std::span<const Instruction> before;  // lines of debug information
  bool takes_tensors = false;
};

// A function that takes tensors, for some of them.
struct Instance {
  Id id = 0;  // of the new function
  const Function* function = nullptr;
  std::vector<TensorRef> arguments;
};

class Emulation {
 public:
  // `by_record`: all tensors are.
  Emulation(const ModuleView& view, const TensorVariables& tensors, bool by_record)
      : view_(view),
        module_(view.module),
        tensors_(tensors),
        by_record_(by_record),
        builder_(view.module),
        accesses_(view, builder_) {}

  Result<Words> run() {
    if (Result<> done = copy_globals(); !done) return std::unexpected(std::move(done.error()));
    for (const auto& [id, tensor] : tensors_) accesses_.declare(tensor);
    find_functions();
    for (const Function& function : functions_) {
      if (function.takes_tensors) continue;
      if (Result<> done = copy_function({.function = &function}); !done)
        return std::unexpected(std::move(done.error()));
    }
    for (; !pending_.empty(); pending_.pop_front()) {
      if (Result<> done = copy_function(pending_.front()); !done) return std::unexpected(std::move(done.error()));
    }
    accesses_.write();
    copy_preamble();
    if (builder_.bound() > kMaxIdBound) return too_large();
    return builder_.words();
  }

 private:
  std::unexpected<Failure> fail_at(const Instruction& instruction, DiagnosticKind kind, std::string message) const {
    return fail(kind, module_.location(instruction), std::move(message));
  }
  std::unexpected<Failure> too_large() const {
    return fail(DiagnosticKind::Unsupported, SourceLocation::in_file(module_.name()),
                "too many functions take too many different tensors");
  }

  // --- declarations -----------------------------------------------------------------------------------------------

  // The rewritten module has no tensors, and nothing that consists of them or points to them.
  bool is_gone(Id id) const { return gone_.contains(id); }

  template <class Predicate>
  bool any_id(const Instruction& instruction, Predicate predicate) const {
    for (std::size_t i = 0; i < instruction.operands.size(); ++i) {
      if (module_.is_id(instruction.offset + 1 + static_cast<std::uint32_t>(i)) && predicate(instruction.operands[i])) {
        return true;
      }
    }
    return false;
  }

  bool is_debug_information(const Instruction& instruction) const {
    const Instruction* set =
        instruction.op == spv::Op::OpExtInst ? module_.definition(instruction.operand(2)) : nullptr;
    return set != nullptr && set->op == spv::Op::OpExtInstImport && set->string(1).starts_with("NonSemantic.");
  }

  Result<> copy_globals() {
    for (const Instruction& instruction : module_.instructions()) {
      if (instruction.op == spv::Op::OpFunction) break;
      if (section_of(instruction.op) != Section::Globals) continue;
      if (tensors_.contains(instruction.result)) continue;
      const bool concerned = any_id(instruction, [&](Id id) { return is_gone(id) || tensors_.contains(id); });
      if (instruction.op != spv::Op::OpTypeTensorARM && !concerned) {
        builder_.copy(Section::Globals, instruction);
        continue;
      }
      switch (instruction.op) {
        case spv::Op::OpTypeTensorARM:
        case spv::Op::OpTypePointer:
        case spv::Op::OpTypeArray:
        case spv::Op::OpTypeRuntimeArray:
        case spv::Op::OpTypeFunction:
          gone_.insert(instruction.result);
          break;
        default:
          // Debug information about tensors goes with them.
          if (!is_debug_information(instruction)) return refuse(instruction);
          gone_.insert(instruction.result);
          break;
      }
    }
    return {};
  }

  std::unexpected<Failure> refuse(const Instruction& instruction) const {
    return fail_at(instruction, DiagnosticKind::Unsupported,
                   formatted("a tensor is used in a way that cannot be emulated (instruction {})",
                             static_cast<std::uint32_t>(instruction.op)));
  }

  // Everything before the declarations, except what refers to removed ids. Ids in copies of functions
  // have the names and decorations of the originals.
  void copy_preamble() {
    std::vector<const Instruction*> last;  // after all names
    for (const Instruction& instruction : module_.instructions()) {
      const Section section = section_of(instruction.op);
      if (instruction.op == spv::Op::OpFunction || section == Section::Globals) break;
      if (instruction.op == spv::Op::OpCapability && is_tensor_capability(instruction.operand(0))) continue;
      if (instruction.op == spv::Op::OpExtension && instruction.string(0) == kExtension) continue;
      if (instruction.op == spv::Op::OpModuleProcessed) {
        last.push_back(&instruction);
        continue;
      }
      if (by_record_ && section == Section::MemoryModel) {
        const auto model = static_cast<spv::MemoryModel>(instruction.operand(1));
        builder_.memory_model(spv::AddressingModel::PhysicalStorageBuffer64, model);
        continue;
      }
      if (section != Section::Names && section != Section::Annotations) {
        builder_.copy(section, instruction);
        continue;
      }
      const Id target = instruction.operand(0);
      if (by_record_ && tensors_.contains(target) && qualifies_memory(instruction)) continue;
      if (!is_gone(target)) builder_.copy(section, instruction);
      const auto [begin, end] = copies_.equal_range(target);
      for (auto copy = begin; copy != end; ++copy) {
        Words operands(instruction.operands.begin(), instruction.operands.end());
        operands[0] = copy->second;
        builder_.emit(section, instruction.op, Operands(operands));
      }
    }
    for (const Instruction* instruction : last) builder_.copy(Section::Names, *instruction);
    ask_for_capabilities();
  }

  // Decorations of a tensor's memory, which its record does not have.
  static bool qualifies_memory(const Instruction& instruction) {
    if (instruction.op != spv::Op::OpDecorate) return false;
    switch (static_cast<spv::Decoration>(instruction.operand(1))) {
      case spv::Decoration::Aliased:
      case spv::Decoration::Coherent:
      case spv::Decoration::NonReadable:
      case spv::Decoration::NonWritable:
      case spv::Decoration::Restrict:
      case spv::Decoration::Volatile:
        return true;
      default:
        return false;
    }
  }

  void ask_for_capabilities() {
    bool bytes = false, halves = false;
    for (const auto& [id, tensor] : tensors_) {
      bytes |= tensor::size_of(tensor.declared.element) == 1;
      halves |= tensor::size_of(tensor.declared.element) == 2;
    }
    if (module_.version() < kVersion13) builder_.extension("SPV_KHR_storage_buffer_storage_class");
    if (bytes) {
      builder_.capability(spv::Capability::StorageBuffer8BitAccess);
      if (module_.version() < kVersion15) builder_.extension("SPV_KHR_8bit_storage");
    }
    if (halves) {
      builder_.capability(spv::Capability::StorageBuffer16BitAccess);
      if (module_.version() < kVersion13) builder_.extension("SPV_KHR_16bit_storage");
    }
    if (by_record_ && !tensors_.empty()) {
      builder_.capability(spv::Capability::Int64);
      builder_.capability(spv::Capability::PhysicalStorageBufferAddresses);
      if (module_.version() < kVersion15) builder_.extension("SPV_KHR_physical_storage_buffer");
    }
    if (dynamic_index_)
      builder_.capability(by_record_ ? spv::Capability::UniformBufferArrayDynamicIndexing
                                     : spv::Capability::StorageBufferArrayDynamicIndexing);
    if (non_uniform_index_) {
      builder_.capability(spv::Capability::ShaderNonUniform);
      builder_.capability(by_record_ ? spv::Capability::UniformBufferArrayNonUniformIndexing
                                     : spv::Capability::StorageBufferArrayNonUniformIndexing);
      if (module_.version() < kVersion15) builder_.extension("SPV_EXT_descriptor_indexing");
    }
  }

  // --- functions --------------------------------------------------------------------------------------------------

  void find_functions() {
    const std::span<const Instruction> all = module_.instructions();
    std::size_t end = 0;  // of the last function
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (all[i].op != spv::Op::OpFunction) continue;
      std::size_t first = i;
      while (first > end && (all[first - 1].op == spv::Op::OpLine || all[first - 1].op == spv::Op::OpNoLine) &&
             end > 0) {
        --first;
      }
      end = i + 1;
      while (end < all.size() && all[end - 1].op != spv::Op::OpFunctionEnd) ++end;
      Function function{.body = all.subspan(i, end - i), .before = all.subspan(first, i - first)};
      for (const Instruction& instruction : function.body) {
        if (instruction.op == spv::Op::OpFunctionParameter) function.takes_tensors |= is_gone(instruction.type);
        if (instruction.op == spv::Op::OpLabel) break;
      }
      if (function.takes_tensors) {
        for (const Instruction& instruction : function.body) {
          if (instruction.result != 0) gone_.insert(instruction.result);
        }
      }
      functions_.push_back(function);
      i = end - 1;
    }
    for (const Function& function : functions_) by_id_.emplace(function.body.front().result, &function);
  }

  Result<> copy_function(const Instance& instance) {
    const Function& function = *instance.function;
    refs_.clear();
    ids_.clear();
    is_copy_ = instance.id != 0;
    if (is_copy_) {
      copied_ += function.body.size();
      if (copied_ > kMaxCopiedInstructions || builder_.bound() > kMaxIdBound) return too_large();
      for (const Instruction& instruction : function.body) {
        if (instruction.result != 0) ids_[instruction.result] = builder_.new_id();
      }
      ids_[function.body.front().result] = instance.id;
    }
    for (const Instruction& instruction : function.before) builder_.copy(Section::Functions, instruction);
    std::size_t argument = 0;
    for (const Instruction& instruction : function.body) {
      if (instruction.op == spv::Op::OpFunction && is_copy_) {
        if (is_gone(instruction.type)) return refuse(instruction);
        begin_copy(instance);
      } else if (instruction.op == spv::Op::OpFunctionParameter && is_gone(instruction.type)) {
        // One after the first block has no argument.
        if (argument == instance.arguments.size()) return refuse(instruction);
        bind_parameter(instruction, instance.arguments[argument++]);
      } else if (Result<> done = copy_instruction(instruction); !done) {
        return done;
      }
    }
    return {};
  }

  // A tensor argument is removed, except for its index in an array of descriptors.
  void begin_copy(const Instance& instance) {
    const Instruction& function = instance.function->body.front();
    Words parameters;
    std::size_t argument = 0;
    for (const Instruction& instruction : instance.function->body) {
      if (instruction.op == spv::Op::OpLabel) break;
      if (instruction.op != spv::Op::OpFunctionParameter) continue;
      if (!is_gone(instruction.type)) {
        parameters.push_back(instruction.type);
      } else if (const TensorRef& ref = instance.arguments[argument++]; ref.has_parameter()) {
        parameters.push_back(ref.index_type);
      }
    }
    const Id type = builder_.type_function(function.type, parameters);
    builder_.emit(Section::Functions, spv::Op::OpFunction, {function.type, instance.id, function.operand(2), type});
    copies_.emplace(function.result, instance.id);
  }

  void bind_parameter(const Instruction& parameter, TensorRef argument) {
    if (argument.has_parameter()) argument.index = builder_.parameter(argument.index_type);
    refs_.emplace(parameter.result, argument);
  }

  Id mapped(Id id) const {
    const auto found = ids_.find(id);
    return found == ids_.end() ? id : found->second;
  }

  // The tensor that an id refers to, or null.
  const TensorRef* ref(Id id) {
    if (const auto found = refs_.find(id); found != refs_.end()) return &found->second;
    const auto tensor = tensors_.find(id);
    if (tensor == tensors_.end()) return nullptr;
    return &refs_.emplace(id, TensorRef{.tensor = &tensor->second, .all = tensor->second.array != 0}).first->second;
  }

  Result<> copy_instruction(const Instruction& instruction) {
    switch (instruction.op) {
      case spv::Op::OpLoad:
      case spv::Op::OpCopyObject:
        if (const TensorRef* from = ref(instruction.operand(2)); from != nullptr && !from->all) {
          return keep(instruction, *from);
        }
        break;
      case spv::Op::OpAccessChain:
      case spv::Op::OpInBoundsAccessChain:
        if (const TensorRef* from = ref(instruction.operand(2))) return follow_index(instruction, *from);
        break;
      case spv::Op::OpTensorReadARM:
        return rewrite_read(instruction);
      case spv::Op::OpTensorWriteARM:
        return rewrite_write(instruction);
      case spv::Op::OpTensorQuerySizeARM:
        return rewrite_size(instruction);
      case spv::Op::OpFunctionCall:
        if (const auto callee = by_id_.find(instruction.operand(2));
            callee != by_id_.end() && callee->second->takes_tensors) {
          return rewrite_call(instruction, *callee->second);
        }
        break;
      default:
        break;
    }
    if (any_id(instruction, [&](Id id) { return ref(id) != nullptr || is_removed_type(id); })) {
      return is_debug_information(instruction) ? Result<>() : refuse(instruction);
    }
    // Debug information in a copy would define ids twice.
    if (is_copy_ && is_debug_information(instruction)) return {};
    if (!is_copy_) {
      builder_.copy(Section::Functions, instruction);
      return {};
    }
    Words operands(instruction.operands.begin(), instruction.operands.end());
    for (std::size_t i = 0; i < operands.size(); ++i) {
      if (module_.is_id(instruction.offset + 1 + static_cast<std::uint32_t>(i))) operands[i] = mapped(operands[i]);
    }
    builder_.emit(Section::Functions, instruction.op, Operands(operands));
    note_copy(instruction);
    return {};
  }

  bool is_removed_type(Id id) const {
    const Instruction* definition = module_.definition(id);
    return definition != nullptr && definition->type == 0 && is_gone(id) && definition->op != spv::Op::OpLabel;
  }

  void note_copy(const Instruction& instruction) {
    if (is_copy_ && instruction.result != 0) copies_.emplace(instruction.result, mapped(instruction.result));
  }

  bool is_non_uniform(Id id) const { return view_.annotations.has(id, spv::Decoration::NonUniform); }

  Result<> keep(const Instruction& instruction, TensorRef from) {
    from.non_uniform |= is_non_uniform(instruction.result);
    refs_[instruction.result] = from;
    gone_.insert(instruction.result);
    return {};
  }

  Result<> follow_index(const Instruction& chain, TensorRef from) {
    if (chain.operands.size() == 3) return keep(chain, from);
    const Instruction* index = module_.definition(chain.operand(3));
    const Instruction* type = index == nullptr ? nullptr : module_.definition(index->type);
    if (!from.all || chain.operands.size() != 4 || !is_integer(type)) {
      return refuse(chain);
    }
    from.all = false;
    from.index = mapped(chain.operand(3));
    from.index_type = index->type;
    from.non_uniform |= is_non_uniform(chain.operand(3));
    from.fixed = index->op == spv::Op::OpConstant;
    dynamic_index_ |= !from.fixed;
    return keep(chain, from);
  }

  // --- accesses ---------------------------------------------------------------------------------------------------

  // The tensor that an instruction accesses, at an index of its operands.
  Result<TensorRef> accessed(const Instruction& instruction, std::size_t operand) {
    const TensorRef* found = ref(instruction.operand(operand));
    if (found == nullptr || found->all) return refuse(instruction);
    TensorRef tensor = *found;
    tensor.non_uniform |= is_non_uniform(instruction.operand(operand));
    non_uniform_index_ |= tensor.non_uniform;
    return tensor;
  }

  static TensorAccess access_to(const TensorRef& tensor) {
    return {.tensor = tensor.tensor,
            .fixed_index = tensor.fixed ? tensor.index : 0,
            .index = tensor.index_type,
            .non_uniform = tensor.non_uniform};
  }

  struct TensorOperands {
    Id outside = 0;  // the value for what is out of bounds; 0 without
    Words memory;
  };
  // `first`: the index of the mask. Its parameters follow in the order of the bits.
  Result<TensorOperands> tensor_operands(const Instruction& instruction, std::size_t first) const {
    TensorOperands operands;
    if (instruction.operands.size() <= first) return operands;
    const auto mask = static_cast<spv::TensorOperandsMask>(instruction.operand(first));
    const auto has = [&](spv::TensorOperandsMask bit) { return (mask & bit) != spv::TensorOperandsMask::MaskNone; };
    spv::MemoryAccessMask access = spv::MemoryAccessMask::MaskNone;
    Words scopes;
    std::size_t next = first + 1;
    if (has(spv::TensorOperandsMask::NontemporalARM)) access = access | spv::MemoryAccessMask::Nontemporal;
    if (has(spv::TensorOperandsMask::OutOfBoundsValueARM)) operands.outside = mapped(instruction.operand(next++));
    const spv::MemoryAccessMask non_private = spv::MemoryAccessMask::NonPrivatePointer;
    if (has(spv::TensorOperandsMask::MakeElementAvailableARM)) {
      access = access | spv::MemoryAccessMask::MakePointerAvailable | non_private;
      scopes.push_back(instruction.operand(next++));
    }
    if (has(spv::TensorOperandsMask::MakeElementVisibleARM)) {
      access = access | spv::MemoryAccessMask::MakePointerVisible | non_private;
      scopes.push_back(instruction.operand(next++));
    }
    if (has(spv::TensorOperandsMask::NonPrivateElementARM)) access = access | non_private;
    // The access functions name scopes themselves, and can name only what all functions see.
    for (const Id scope : scopes) {
      const Instruction* definition = module_.definition(scope);
      if (definition == nullptr ||
          (definition->op != spv::Op::OpConstant && definition->op != spv::Op::OpSpecConstant)) {
        return refuse(instruction);
      }
    }
    if (access != spv::MemoryAccessMask::MaskNone) {
      operands.memory.push_back(static_cast<std::uint32_t>(access));
      operands.memory.insert(operands.memory.end(), scopes.begin(), scopes.end());
    }
    return operands;
  }

  Id type_of(Id id) const {
    const Instruction* definition = module_.definition(id);
    return definition == nullptr ? 0 : definition->type;
  }

  Result<> rewrite_read(const Instruction& read) {
    const auto tensor = accessed(read, 2);
    if (!tensor) return std::unexpected(tensor.error());
    const auto operands = tensor_operands(read, 4);
    if (!operands) return std::unexpected(operands.error());
    TensorAccess access = access_to(*tensor);
    access.coordinates = type_of(read.operand(3));
    access.value = read.type;
    access.outside = operands->outside != 0;
    access.memory = operands->memory;
    const auto function = accesses_.id(access, read);
    if (!function) return std::unexpected(function.error());
    Operands call({read.type, mapped(read.result), *function});
    if (tensor->has_parameter()) call.add(tensor->index);
    call.add(mapped(read.operand(3)));
    if (operands->outside != 0) call.add(operands->outside);
    builder_.emit(Section::Functions, spv::Op::OpFunctionCall, call);
    note_copy(read);
    return {};
  }

  Result<> rewrite_write(const Instruction& write) {
    const auto tensor = accessed(write, 0);
    if (!tensor) return std::unexpected(tensor.error());
    const auto operands = tensor_operands(write, 3);
    if (!operands) return std::unexpected(operands.error());
    TensorAccess access = access_to(*tensor);
    access.writes = true;
    access.coordinates = type_of(write.operand(1));
    access.value = type_of(write.operand(2));
    access.memory = operands->memory;
    const auto function = accesses_.id(access, write);
    if (!function) return std::unexpected(function.error());
    Operands call({*function});
    if (tensor->has_parameter()) call.add(tensor->index);
    call.add(mapped(write.operand(1))).add(mapped(write.operand(2)));
    builder_.op(spv::Op::OpFunctionCall, builder_.type_void(), call);
    return {};
  }

  Result<> rewrite_size(const Instruction& query) {
    const auto tensor = accessed(query, 2);
    if (!tensor) return std::unexpected(tensor.error());
    const Instruction* type = module_.definition(query.type);
    const auto dimension = view_.constants.value(query.operand(3));
    const auto has_dimension = [&](const TensorLayout& layout) { return *dimension < layout.shape.size(); };
    if (!is_integer(type) || !dimension || !std::ranges::all_of(tensor->tensor->layouts, has_dimension)) {
      return fail_at(query, DiagnosticKind::FileFormat,
                     formatted("a query for the size of a dimension that tensor `{}` does not have",
                               view_.label(tensor->tensor->variable->result)));
    }
    const Id size =
        accesses_.size(*tensor->tensor, *dimension, query.type, tensor->index, tensor->index_type, tensor->non_uniform);
    builder_.emit(Section::Functions, spv::Op::OpCopyObject, {query.type, mapped(query.result), size});
    note_copy(query);
    return {};
  }

  // --- calls ------------------------------------------------------------------------------------------------------

  Result<> rewrite_call(const Instruction& call, const Function& callee) {
    Instance instance{.function = &callee};
    Words key{callee.body.front().result};
    Operands operands({call.type, mapped(call.result)});
    Words arguments;
    std::size_t at = 3;
    for (const Instruction& parameter : callee.body) {
      if (parameter.op == spv::Op::OpLabel) break;
      if (parameter.op != spv::Op::OpFunctionParameter) continue;
      const Id argument = call.operand(at++);
      const TensorRef* tensor = ref(argument);
      if ((tensor != nullptr) != is_gone(parameter.type)) return refuse(call);
      if (tensor == nullptr) {
        arguments.push_back(mapped(argument));
        continue;
      }
      if (tensor->has_parameter()) arguments.push_back(tensor->index);
      key.insert(key.end(), {tensor->tensor->variable->result, tensor->all, tensor->fixed ? tensor->index : 0,
                             tensor->index_type, tensor->non_uniform});
      instance.arguments.push_back(*tensor);
    }
    const auto [known, fresh] = instances_.try_emplace(std::move(key));
    if (fresh) {
      known->second = instance.id = builder_.new_id();
      pending_.push_back(std::move(instance));
    }
    operands.add(known->second).add(arguments);
    builder_.emit(Section::Functions, spv::Op::OpFunctionCall, operands);
    note_copy(call);
    return {};
  }

  const ModuleView& view_;
  const Module& module_;
  const TensorVariables& tensors_;
  const bool by_record_;
  Builder builder_;
  AccessFunctions accesses_;

  std::unordered_set<Id> gone_;             // ids that the rewritten module does not have
  std::unordered_multimap<Id, Id> copies_;  // by the original: ids in copies of functions
  std::vector<Function> functions_;
  std::unordered_map<Id, const Function*> by_id_;
  std::map<Words, Id> instances_;  // by the function and its arguments
  std::deque<Instance> pending_;
  std::size_t copied_ = 0;  // instructions
  bool dynamic_index_ = false, non_uniform_index_ = false;

  // Of the function being copied.
  bool is_copy_ = false;
  std::unordered_map<Id, TensorRef> refs_;
  std::unordered_map<Id, Id> ids_;  // of the original to those of the copy
};

}  // namespace

bool has_tensors(const Module& module) {
  return std::ranges::any_of(module.instructions(), [](const Instruction& instruction) {
    return instruction.op == spv::Op::OpCapability && is_tensor_capability(instruction.operand(0));
  });
}

namespace {

Result<Words> emulate(const ModuleView& view, const Result<TensorVariables>& tensors, bool by_record) {
  const Module& module = view.module;
  if (!tensors) return std::unexpected(tensors.error());
  Result<Words> words = Emulation(view, *tensors, by_record).run();
  if (!words || !has_small_floats(module)) return words;
  // What cannot be done without them stays, and the device must support them.
  auto without = read_module(*words, module.name()).and_then(emulate_small_floats);
  return without ? std::move(without) : std::move(words);
}

}  // namespace

Result<Words> emulate_tensors(const Module& module, std::span<const TensorBinding> bindings,
                              const Specialization& specialization) {
  if (!has_tensors(module)) return Words(module.words().begin(), module.words().end());
  auto annotations = Annotations::of(module);
  if (!annotations) return std::unexpected(std::move(annotations.error()));
  const ModuleView view(module, std::move(*annotations), specialization);
  return emulate(view, find_tensors(view, bindings), false);
}

Result<Words> emulate_tensors_by_record(const Module& module) {
  if (!has_tensors(module)) return Words(module.words().begin(), module.words().end());
  auto annotations = Annotations::of(module);
  if (!annotations) return std::unexpected(std::move(annotations.error()));
  const ModuleView view(module, std::move(*annotations), {});
  return emulate(view, find_tensors_by_record(view), true);
}

}  // namespace slipway::spirv
