#include "spirv/builder.hpp"

#include <bit>
#include <cstring>
#include <spirv/unified1/spirv.hpp11>
#include <utility>

namespace slipway::spirv {
namespace {

constexpr Id kNone = ~0u;  // in place of a type: the instruction has no result

void append(Words& words, spv::Op op, WordSpan operands) {
  words.push_back(static_cast<std::uint32_t>(operands.size() + 1) << 16 | static_cast<std::uint32_t>(op));
  words.insert(words.end(), operands.begin(), operands.end());
}

}  // namespace

Operands& Operands::add(std::string_view text) {
  const std::size_t begin = words_.size();
  words_.resize(begin + string_words(text));
  std::memcpy(words_.data() + begin, text.data(), text.size());
  return *this;
}

Section section_of(spv::Op op) {
  switch (op) {
    case spv::Op::OpCapability:
      return Section::Capabilities;
    case spv::Op::OpExtension:
      return Section::Extensions;
    case spv::Op::OpExtInstImport:
      return Section::Imports;
    case spv::Op::OpMemoryModel:
      return Section::MemoryModel;
    case spv::Op::OpEntryPoint:
      return Section::EntryPoints;
    case spv::Op::OpExecutionMode:
    case spv::Op::OpExecutionModeId:
      return Section::ExecutionModes;
    case spv::Op::OpString:
    case spv::Op::OpSource:
    case spv::Op::OpSourceContinued:
    case spv::Op::OpSourceExtension:
      return Section::DebugStrings;
    case spv::Op::OpName:
    case spv::Op::OpMemberName:
    case spv::Op::OpModuleProcessed:
      return Section::Names;
    case spv::Op::OpDecorate:
    case spv::Op::OpDecorateId:
    case spv::Op::OpDecorateString:
    case spv::Op::OpMemberDecorate:
    case spv::Op::OpMemberDecorateString:
    case spv::Op::OpDecorationGroup:
    case spv::Op::OpGroupDecorate:
    case spv::Op::OpGroupMemberDecorate:
      return Section::Annotations;
    default:
      return Section::Globals;
  }
}

Builder::Builder(std::uint32_t version) : version_(version), sections_(std::to_underlying(Section::Count)) {}

Builder::Builder(const Module& module) : Builder(module.version()) { next_id_ = module.id_bound(); }

void Builder::copy(Section section, const Instruction& instruction) {
  append(sections_[std::to_underlying(section)], instruction.op, instruction.operands);
  if (section == Section::Functions) return;
  const auto remember = [&](Id type, std::size_t operands_before) {
    Words key{static_cast<std::uint32_t>(instruction.op)};
    if (type != kNone) key.push_back(type);
    const WordSpan rest = instruction.operands.subspan(operands_before);
    key.insert(key.end(), rest.begin(), rest.end());
    unique_.try_emplace(std::move(key), instruction.result);
  };
  switch (instruction.op) {
    case spv::Op::OpCapability:
    case spv::Op::OpExtension:
      return remember(kNone, 0);
    case spv::Op::OpTypeStruct:  // always new
    case spv::Op::OpTypeArray:   // their strides, which are part of them, are decorations
    case spv::Op::OpTypeRuntimeArray:
      return;
    case spv::Op::OpTypeInt:
      scalars_[instruction.result] = {instruction.operand(1), instruction.operand(2) != 0};
      return remember(0, 1);
    case spv::Op::OpTypeFloat:
      scalars_[instruction.result] = {instruction.operand(1), false};
      return remember(0, 1);
    case spv::Op::OpConstantTrue:
    case spv::Op::OpConstantFalse:
    case spv::Op::OpConstant:
    case spv::Op::OpConstantComposite:
    case spv::Op::OpConstantNull:
      return remember(instruction.type, 2);
    default:
      if (instruction.result != 0 && instruction.type == 0) remember(0, 1);  // other types, imports
  }
}

void Builder::emit(Section section, spv::Op op, const Operands& operands) {
  append(sections_[std::to_underlying(section)], op, operands.words());
}

// --- preamble ------------------------------------------------------------------------------------------------------

void Builder::capability(spv::Capability capability) {
  once(Section::Capabilities, spv::Op::OpCapability, Operands().add(capability));
}

void Builder::extension(std::string_view name) {
  once(Section::Extensions, spv::Op::OpExtension, Operands().add(name));
}

Id Builder::import(std::string_view instruction_set) {
  return unique(Section::Imports, spv::Op::OpExtInstImport, 0, Operands().add(instruction_set));
}

void Builder::memory_model(spv::AddressingModel addressing, spv::MemoryModel memory) {
  emit(Section::MemoryModel, spv::Op::OpMemoryModel, Operands().add(addressing).add(memory));
}

void Builder::entry_point(spv::ExecutionModel model, Id function, std::string_view name, WordSpan interface) {
  emit(Section::EntryPoints, spv::Op::OpEntryPoint, Operands().add(model).add(function).add(name).add(interface));
}

void Builder::execution_mode(Id entry_point, spv::ExecutionMode mode, const Operands& operands) {
  emit(Section::ExecutionModes, spv::Op::OpExecutionMode, Operands({entry_point}).add(mode).add(operands.words()));
}

// --- names and decorations -----------------------------------------------------------------------------------------

void Builder::name(Id target, std::string_view text) {
  emit(Section::Names, spv::Op::OpName, Operands({target}).add(text));
}

void Builder::member_name(Id structure, std::uint32_t member, std::string_view text) {
  emit(Section::Names, spv::Op::OpMemberName, Operands({structure, member}).add(text));
}

void Builder::decorate(Id target, spv::Decoration decoration, const Operands& operands) {
  emit(Section::Annotations, spv::Op::OpDecorate, Operands({target}).add(decoration).add(operands.words()));
}

void Builder::decorate_member(Id structure, std::uint32_t member, spv::Decoration decoration,
                              const Operands& operands) {
  emit(Section::Annotations, spv::Op::OpMemberDecorate,
       Operands({structure, member}).add(decoration).add(operands.words()));
}

// --- types ---------------------------------------------------------------------------------------------------------

Id Builder::type(spv::Op op, const Operands& operands) { return unique(Section::Globals, op, 0, operands); }

Id Builder::type_void() { return type(spv::Op::OpTypeVoid, {}); }
Id Builder::type_bool() { return type(spv::Op::OpTypeBool, {}); }

Id Builder::type_int(std::uint32_t width, bool is_signed) {
  const Id id = type(spv::Op::OpTypeInt, {width, is_signed});
  scalars_[id] = {width, is_signed};
  return id;
}

Id Builder::type_float(std::uint32_t width) {
  const Id id = type(spv::Op::OpTypeFloat, {width});
  scalars_[id] = {width, false};
  return id;
}

Id Builder::type_vector(Id component, std::uint32_t count) { return type(spv::Op::OpTypeVector, {component, count}); }
Id Builder::type_matrix(Id column, std::uint32_t count) { return type(spv::Op::OpTypeMatrix, {column, count}); }

Id Builder::type_array(Id element, std::uint32_t length, std::uint32_t stride) {
  return with_stride(spv::Op::OpTypeArray, {element, constant_u32(length)}, stride);
}

Id Builder::type_runtime_array(Id element, std::uint32_t stride) {
  return with_stride(spv::Op::OpTypeRuntimeArray, {element}, stride);
}

// The stride is part of an array type's identity, though it stands in a decoration.
Id Builder::with_stride(spv::Op op, const Operands& operands, std::uint32_t stride) {
  Words key(operands.words().begin(), operands.words().end());
  key.push_back(stride);
  auto [known, is_new] = arrays_.try_emplace({op, std::move(key)}, 0);
  if (is_new) {
    known->second = new_id();
    emit(Section::Globals, op, Operands({known->second}).add(operands.words()));
    if (stride != 0) decorate(known->second, spv::Decoration::ArrayStride, {stride});
  }
  return known->second;
}

Id Builder::type_pointer(spv::StorageClass storage, Id pointee) {
  return type(spv::Op::OpTypePointer, Operands().add(storage).add(pointee));
}

Id Builder::type_function(Id result, WordSpan parameters) {
  return type(spv::Op::OpTypeFunction, Operands({result}).add(parameters));
}

Id Builder::type_struct(WordSpan members) {
  const Id id = new_id();
  emit(Section::Globals, spv::Op::OpTypeStruct, Operands({id}).add(members));
  return id;
}

// --- constants -----------------------------------------------------------------------------------------------------

Operands Builder::literal(Id type, std::uint64_t bits) const {
  const auto scalar = scalars_.find(type);
  const auto [width, is_signed] = scalar == scalars_.end() ? Scalar{32, false} : scalar->second;
  if (width == 64) return {static_cast<std::uint32_t>(bits), static_cast<std::uint32_t>(bits >> 32)};
  // SPIR-V 1.6, 2.2.1: a narrow literal fills its word, extended by its sign when its type is signed, else by zeros.
  const std::uint32_t unused = 32 - width;
  const auto word = static_cast<std::uint32_t>(bits) << unused;
  return {is_signed ? static_cast<std::uint32_t>(static_cast<std::int32_t>(word) >> unused) : word >> unused};
}

Id Builder::constant_bool(bool value) {
  return unique(Section::Globals, value ? spv::Op::OpConstantTrue : spv::Op::OpConstantFalse, type_bool(), {});
}

Id Builder::constant(Id type, std::uint64_t bits) {
  return unique(Section::Globals, spv::Op::OpConstant, type, literal(type, bits));
}

Id Builder::constant_u32(std::uint32_t value) { return constant(type_int(32, false), value); }
Id Builder::constant_i32(std::int32_t value) { return constant(type_int(32, true), static_cast<std::uint32_t>(value)); }
Id Builder::constant_f32(float value) { return constant(type_float(32), std::bit_cast<std::uint32_t>(value)); }

Id Builder::constant_composite(Id type, WordSpan constituents) {
  return unique(Section::Globals, spv::Op::OpConstantComposite, type, Operands(constituents));
}

Id Builder::constant_null(Id type) { return unique(Section::Globals, spv::Op::OpConstantNull, type, {}); }

Id Builder::constant(spv::Op op, Id type, const Operands& operands) {
  return unique(Section::Globals, op, type, operands);
}

Id Builder::specialization_constant(Id type, std::uint64_t default_bits, std::uint32_t spec_id) {
  const Id id = new_id();
  if (type == type_bool()) {
    emit(Section::Globals, default_bits ? spv::Op::OpSpecConstantTrue : spv::Op::OpSpecConstantFalse, {type, id});
  } else {
    emit(Section::Globals, spv::Op::OpSpecConstant, Operands({type, id}).add(literal(type, default_bits).words()));
  }
  decorate(id, spv::Decoration::SpecId, {spec_id});
  return id;
}

Id Builder::variable(Id pointer_type, spv::StorageClass storage, Id initializer) {
  const Id id = new_id();
  Operands operands({pointer_type, id});
  operands.add(storage);
  if (initializer != 0) operands.add(initializer);
  emit(Section::Globals, spv::Op::OpVariable, operands);
  return id;
}

// --- functions -----------------------------------------------------------------------------------------------------

Id Builder::begin_function(Id result_type, Id function_type) {
  const Id id = new_id();
  emit(Section::Functions, spv::Op::OpFunction,
       Operands({result_type, id}).add(spv::FunctionControlMask::MaskNone).add(function_type));
  return id;
}

Id Builder::parameter(Id type) { return op(spv::Op::OpFunctionParameter, type); }

Id Builder::label() {
  const Id id = new_id();
  label(id);
  return id;
}

void Builder::label(Id block) { emit(Section::Functions, spv::Op::OpLabel, {block}); }

Id Builder::op(spv::Op op, Id type, const Operands& operands) {
  const Id id = new_id();
  emit(Section::Functions, op, Operands({type, id}).add(operands.words()));
  return id;
}

void Builder::op_void(spv::Op op, const Operands& operands) { emit(Section::Functions, op, operands); }

Id Builder::extended(Id set, std::uint32_t instruction, Id type, WordSpan arguments) {
  return op(spv::Op::OpExtInst, type, Operands({set, instruction}).add(arguments));
}

void Builder::end_function() { emit(Section::Functions, spv::Op::OpFunctionEnd); }

// --- the whole -----------------------------------------------------------------------------------------------------

void Builder::once(Section section, spv::Op op, const Operands& operands) {
  Words key{static_cast<std::uint32_t>(op)};
  key.insert(key.end(), operands.words().begin(), operands.words().end());
  if (unique_.try_emplace(std::move(key), 0).second) emit(section, op, operands);
}

Id Builder::unique(Section section, spv::Op op, Id type, const Operands& operands) {
  Words key{static_cast<std::uint32_t>(op), type};
  key.insert(key.end(), operands.words().begin(), operands.words().end());
  auto [known, is_new] = unique_.try_emplace(std::move(key), 0);
  if (is_new) {
    known->second = new_id();
    Operands all = type == 0 ? Operands() : Operands({type});
    emit(section, op, all.add(known->second).add(operands.words()));
  }
  return known->second;
}

Words Builder::words() const {
  Words words{spv::MagicNumber, version_, 0, next_id_, 0};
  for (const Words& section : sections_) words.insert(words.end(), section.begin(), section.end());
  return words;
}

}  // namespace slipway::spirv
