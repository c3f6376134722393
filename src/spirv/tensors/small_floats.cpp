// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "spirv/tensors/small_floats.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <spirv/unified1/spirv.hpp11>
#include <unordered_map>
#include <unordered_set>

#include "base/format.hpp"
#include "spirv/annotations.hpp"
#include "spirv/builder.hpp"
#include "spirv/tensors/float_conversions.hpp"

namespace slipway::spirv {
namespace {

std::optional<SmallFloat> small_float(const Instruction& type) {
  if (type.op != spv::Op::OpTypeFloat || type.operands.size() < 3) return std::nullopt;
  switch (static_cast<spv::FPEncoding>(type.operand(2))) {
    case spv::FPEncoding::BFloat16KHR:
      return SmallFloat::BF16;
    case spv::FPEncoding::Float8E4M3EXT:
      return SmallFloat::E4M3;
    case spv::FPEncoding::Float8E5M2EXT:
      return SmallFloat::E5M2;
    default:
      return std::nullopt;
  }
}

bool is_small_float_capability(std::uint32_t capability) {
  return capability == static_cast<std::uint32_t>(spv::Capability::BFloat16TypeKHR) ||
         capability == static_cast<std::uint32_t>(spv::Capability::Float8EXT);
}

// Operations on values that do not depend on their type.
constexpr std::array kMoves = {
    spv::Op::OpLoad,
    spv::Op::OpStore,
    spv::Op::OpCopyMemory,
    spv::Op::OpCopyObject,
    spv::Op::OpCopyLogical,
    spv::Op::OpPhi,
    spv::Op::OpSelect,
    spv::Op::OpFunctionCall,
    spv::Op::OpReturnValue,
    spv::Op::OpFunctionParameter,
    spv::Op::OpFunction,
    spv::Op::OpCompositeConstruct,
    spv::Op::OpCompositeExtract,
    spv::Op::OpCompositeInsert,
    spv::Op::OpVectorShuffle,
    spv::Op::OpVectorExtractDynamic,
    spv::Op::OpVectorInsertDynamic,
    spv::Op::OpUndef,
    spv::Op::OpBitcast,
    spv::Op::OpConstant,
    spv::Op::OpConstantNull,
    spv::Op::OpConstantComposite,
    spv::Op::OpSpecConstant,
    spv::Op::OpSpecConstantComposite,
};

class Rewriting {
 public:
  Rewriting(const Module& module, const Annotations& annotations)
      : module_(module), annotations_(annotations), builder_(module), conversions_(builder_) {}

  Result<Words> run() {
    find_types();
    bool in_functions = false;
    for (const Instruction& instruction : module_.instructions()) {
      in_functions |= instruction.op == spv::Op::OpFunction;
      const Section section = in_functions ? Section::Functions : section_of(instruction.op);
      if (section != Section::Functions && section != Section::Globals) continue;
      if (Result<> done = rewrite(section, instruction); !done) return std::unexpected(std::move(done.error()));
    }
    conversions_.write();
    copy_preamble();
    return builder_.words();
  }

 private:
  std::unexpected<Failure> refuse(const Instruction& instruction) const {
    return fail(DiagnosticKind::Unsupported, module_.location(instruction),
                formatted("numbers of a small float type are used in a way that cannot be emulated (instruction {})",
                          static_cast<std::uint32_t>(instruction.op)));
  }

  // --- types ------------------------------------------------------------------------------------------------------

  // The small float at the core of a scalar or vector type.
  std::optional<SmallFloat> format_of(Id type) const {
    const auto found = formats_.find(type);
    return found == formats_.end() ? std::nullopt : std::optional(found->second);
  }
  std::optional<SmallFloat> format_of_value(Id value) const {
    const Instruction* definition = module_.definition(value);
    return definition == nullptr ? std::nullopt : format_of(definition->type);
  }

  void find_types() {
    for (const Instruction& instruction : module_.instructions()) {
      if (instruction.op == spv::Op::OpFunction) break;
      if (const auto format = small_float(instruction)) formats_.emplace(instruction.result, *format);
      if (instruction.op != spv::Op::OpTypeVector) continue;
      if (const auto format = format_of(instruction.operand(1))) formats_.emplace(instruction.result, *format);
    }
  }

  Id mapped(Id id) const {
    const auto found = ids_.find(id);
    return found == ids_.end() ? id : found->second;
  }

  Operands mapped_operands(const Instruction& instruction) const {
    Words operands(instruction.operands.begin(), instruction.operands.end());
    for (std::size_t i = 0; i < operands.size(); ++i) {
      if (module_.is_id(instruction.offset + 1 + static_cast<std::uint32_t>(i))) operands[i] = mapped(operands[i]);
    }
    return Operands(operands);
  }

  // Types that have become equal are one from there on, as two may not be (SPIR-V 1.6, 2.8). Structures and arrays may.
  void add_type(const Instruction& type, spv::Op op, const Operands& operands) {
    Words key{static_cast<std::uint32_t>(op)};
    key.insert(key.end(), operands.words().begin() + 1, operands.words().end());
    const bool may_repeat =
        op == spv::Op::OpTypeStruct || op == spv::Op::OpTypeArray || op == spv::Op::OpTypeRuntimeArray;
    const auto [known, fresh] = types_.try_emplace(std::move(key), type.result);
    if (!fresh && !may_repeat) {
      ids_[type.result] = known->second;
      return;
    }
    // As if the module had it, so that the builder does not create it again.
    builder_.copy(Section::Globals, {.op = op, .result = type.result, .operands = operands.words()});
  }

  // --- instructions -----------------------------------------------------------------------------------------------

  Result<> rewrite(Section section, const Instruction& instruction) {
    if (section == Section::Globals && instruction.result != 0 && instruction.type == 0 &&
        instruction.op != spv::Op::OpTypeForwardPointer) {
      if (const auto format = small_float(instruction)) {
        add_type(instruction, spv::Op::OpTypeInt, {instruction.result, bits_of(*format), 0});
      } else {
        add_type(instruction, instruction.op, mapped_operands(instruction));
      }
      return {};
    }
    if (instruction.op == spv::Op::OpFConvert) {
      const auto from = format_of_value(instruction.operand(2)), to = format_of(instruction.type);
      if (from || to) return convert(instruction, from, to);
    } else if (!std::ranges::contains(kMoves, instruction.op) && touches_numbers(instruction)) {
      return refuse(instruction);
    }
    const Operands operands = mapped_operands(instruction);
    spv::Op op = instruction.op;
    if (op == spv::Op::OpBitcast && mapped(instruction.type) == mapped(type_of(instruction.operand(2)))) {
      op = spv::Op::OpCopyObject;
    }
    if (section == Section::Globals && instruction.type != 0) {
      builder_.copy(
          section, {.op = op, .type = operands.words()[0], .result = instruction.result, .operands = operands.words()});
    } else {
      builder_.emit(section, op, operands);
    }
    return {};
  }

  bool touches_numbers(const Instruction& instruction) const {
    if (format_of(instruction.type)) return true;
    for (std::size_t i = 0; i < instruction.operands.size(); ++i) {
      if (module_.is_id(instruction.offset + 1 + static_cast<std::uint32_t>(i)) &&
          format_of_value(instruction.operands[i])) {
        return true;
      }
    }
    return false;
  }

  Id type_of(Id value) const {
    const Instruction* definition = module_.definition(value);
    return definition == nullptr ? 0 : definition->type;
  }

  // --- conversions ------------------------------------------------------------------------------------------------

  // By way of 32 bits, which all others fit in.
  Result<> convert(const Instruction& instruction, std::optional<SmallFloat> from, std::optional<SmallFloat> to) {
    const Instruction* target = module_.definition(instruction.type);
    const Instruction* source = module_.definition(type_of(instruction.operand(2)));
    if (target == nullptr || source == nullptr) return refuse(instruction);
    const auto mode = annotations_.value(instruction.result, spv::Decoration::FPRoundingMode);
    if (mode && *mode != static_cast<std::uint32_t>(spv::FPRoundingMode::RTE)) return refuse(instruction);
    const std::uint32_t count = target->op == spv::Op::OpTypeVector ? target->operand(2) : 1;
    const std::uint32_t source_count = source->op == spv::Op::OpTypeVector ? source->operand(2) : 1;
    const Instruction* from_scalar = scalar_of(source);
    const Instruction* to_scalar = scalar_of(target);
    if (count != source_count || from_scalar == nullptr || to_scalar == nullptr) return refuse(instruction);
    if (!from && (from_scalar->op != spv::Op::OpTypeFloat || from_scalar->operand(1) > 32)) return refuse(instruction);
    if (!to && to_scalar->op != spv::Op::OpTypeFloat) return refuse(instruction);
    const bool saturates =
        annotations_.has(instruction.result, spv::Decoration::SaturatedToLargestFloat8NormalConversionEXT);

    const Id from_type = mapped(from_scalar->result), to_type = mapped(to_scalar->result);
    const Id f32 = builder_.type_float(32);
    Operands parts;
    for (std::uint32_t i = 0; i < count; ++i) {
      Id value = instruction.operand(2);
      if (count > 1) value = builder_.op(spv::Op::OpCompositeExtract, from_type, {value, i});
      if (from) {
        value = builder_.op(spv::Op::OpFunctionCall, f32, {conversions_.to_float(*from), value});
      } else if (from_type != f32) {
        value = builder_.op(spv::Op::OpFConvert, f32, {value});
      }
      if (to) {
        value = builder_.op(spv::Op::OpFunctionCall, to_type, {conversions_.from_float(*to, saturates), value});
      } else if (to_type != f32) {
        value = builder_.op(spv::Op::OpFConvert, to_type, {value});
      }
      parts.add(value);
    }
    const spv::Op last = count > 1 ? spv::Op::OpCompositeConstruct : spv::Op::OpCopyObject;
    builder_.emit(Section::Functions, last,
                  Operands({mapped(instruction.type), instruction.result}).add(parts.words()));
    converted_.insert(instruction.result);
    return {};
  }

  const Instruction* scalar_of(const Instruction* type) const {
    return type->op == spv::Op::OpTypeVector ? module_.definition(type->operand(1)) : type;
  }

  // --- what precedes the types -------------------------------------------------------------------------------

  void copy_preamble() {
    bool bytes = false, halves = false;
    for (const auto& [type, format] : formats_) (bits_of(format) == 8 ? bytes : halves) = true;
    std::vector<const Instruction*> last;  // after all names
    for (const Instruction& instruction : module_.instructions()) {
      const Section section = section_of(instruction.op);
      if (instruction.op == spv::Op::OpFunction || section == Section::Globals) break;
      const std::string_view extension =
          instruction.op == spv::Op::OpExtension ? instruction.string(0) : std::string_view();
      if (extension == "SPV_KHR_bfloat16" || extension == "SPV_EXT_float8") continue;
      if (instruction.op == spv::Op::OpCapability && is_small_float_capability(instruction.operand(0))) continue;
      if (instruction.op == spv::Op::OpModuleProcessed) {
        last.push_back(&instruction);
        continue;
      }
      // Types that were merged with another one have no name, and what was converted has no decorations of conversions.
      const bool describes = section == Section::Names || section == Section::Annotations;
      if (describes && (ids_.contains(instruction.operand(0)) || is_of_conversion(instruction))) continue;
      builder_.copy(section, instruction);
    }
    for (const Instruction* instruction : last) builder_.copy(Section::Names, *instruction);
    if (bytes) builder_.capability(spv::Capability::Int8);
    if (halves) builder_.capability(spv::Capability::Int16);
  }

  bool is_of_conversion(const Instruction& decoration) const {
    if (decoration.op != spv::Op::OpDecorate || !converted_.contains(decoration.operand(0))) return false;
    const auto kind = static_cast<spv::Decoration>(decoration.operand(1));
    return kind == spv::Decoration::FPRoundingMode ||
           kind == spv::Decoration::SaturatedToLargestFloat8NormalConversionEXT;
  }

  const Module& module_;
  const Annotations& annotations_;
  Builder builder_;
  FloatConversions conversions_;
  std::unordered_map<Id, SmallFloat> formats_;  // small float types and vectors of them
  std::map<Words, Id> types_;                   // by opcode and operands
  std::unordered_map<Id, Id> ids_;              // types that were merged with another one
  std::unordered_set<Id> converted_;            // results of conversions
};

}  // namespace

bool has_small_floats(const Module& module) {
  return std::ranges::any_of(module.instructions(), [](const Instruction& instruction) {
    return instruction.op == spv::Op::OpCapability && is_small_float_capability(instruction.operand(0));
  });
}

Result<Words> emulate_small_floats(const Module& module) {
  const auto annotations = Annotations::of(module);
  if (!annotations) return std::unexpected(annotations.error());
  return Rewriting(module, *annotations).run();
}

}  // namespace slipway::spirv
