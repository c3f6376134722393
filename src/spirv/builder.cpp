// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "spirv/builder.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <spirv/unified1/spirv.hpp11>
#include <utility>

namespace slipway::spirv {
namespace {

// The first word of an array's key, which includes the stride. No opcode has this number.
constexpr std::uint32_t kArrayKey = 0xffff;

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

// --- unique ids ----------------------------------------------------------------------------------------------------

template <std::size_t size>
std::uint32_t UniqueIds::hash_of(std::span<const std::uint32_t, size> key) {
  constexpr std::uint64_t kSpread = 0x9e3779b97f4a7c15;
  std::uint64_t hash = key.size();
  std::size_t i = 0;
  for (; i + 1 < key.size(); i += 2) {
    hash = (hash ^ (key[i] | std::uint64_t{key[i + 1]} << 32)) * kSpread;
    hash ^= hash >> 32;
  }
  if (i < key.size()) hash = (hash ^ key[i]) * kSpread;
  return static_cast<std::uint32_t>(hash ^ hash >> 32);
}

// A key of a known size stays in registers if it is compiled into the caller; a call would write it word by word and
// read it back in larger parts, for which the CPU waits.
template <std::size_t size>
[[gnu::always_inline]] inline Id& UniqueIds::find(std::span<const std::uint32_t, size> key) {
  if (used_ * 2 >= entries_.size()) enlarge();
  const std::uint32_t hash = hash_of(key);
  const std::size_t mask = entries_.size() - 1;
  for (std::size_t at = hash & mask;; at = (at + 1) & mask) {
    Entry& entry = entries_[at];
    if (entry.generation != generation_) {
      entry = {generation_, hash, static_cast<std::uint32_t>(keys_.size()), 0};
      std::uint32_t* const to = keys_.grow(key.size() + 1);
      to[0] = static_cast<std::uint32_t>(key.size());
      for (std::size_t i = 0; i < key.size(); ++i) to[i + 1] = key[i];
      ++used_;
      return entry.id;
    }
    if (entry.hash != hash) continue;
    const std::uint32_t* const known = &keys_[entry.key];
    bool same = known[0] == key.size();
    for (std::size_t i = 0; i < key.size() && same; ++i) same = known[i + 1] == key[i];
    if (same) return entry.id;
  }
}

Id& UniqueIds::find_any(WordSpan key) { return find(key); }

void WordBuffer::enlarge(std::size_t count) {
  const std::size_t capacity = std::max({size_ + count, capacity_ * 2, std::size_t{256}});
  auto data = std::make_unique_for_overwrite<std::uint32_t[]>(capacity);
  if (size_ != 0) std::memcpy(data.get(), data_.get(), size_ * sizeof(std::uint32_t));
  data_ = std::move(data);
  capacity_ = capacity;
}

void UniqueIds::clear() {
  if (entries_.empty()) entries_.resize(512);
  if (++generation_ == 0) {  // after 2^32 modules the oldest entries would count again
    std::ranges::fill(entries_, Entry{});
    generation_ = 1;
  }
  keys_.clear();
  used_ = 0;
}

void UniqueIds::enlarge() {
  std::vector<Entry> old(entries_.size() * 2);
  old.swap(entries_);
  const std::size_t mask = entries_.size() - 1;
  for (const Entry& entry : old) {
    if (entry.generation != generation_) continue;
    std::size_t at = entry.hash & mask;
    while (entries_[at].generation == generation_) at = (at + 1) & mask;
    entries_[at] = entry;
  }
}

// --- the module ----------------------------------------------------------------------------------------------------

Builder::Builder(const Module& module) : Builder(module.version()) { next_id_ = module.id_bound(); }

void Builder::reset(std::uint32_t version) {
  version_ = version;
  next_id_ = 1;
  for (WordBuffer& section : sections_) section.clear();
  ids_.clear();
  scalars_.clear();
}

Words Builder::words() const {
  std::size_t count = kHeaderWords;
  for (const WordBuffer& section : sections_) count += section.size();
  Words all(count);
  std::ranges::copy(std::array<std::uint32_t, kHeaderWords>{spv::MagicNumber, version_, 0, next_id_, 0}, all.begin());
  std::uint32_t* to = all.data() + kHeaderWords;
  for (const WordBuffer& section : sections_) {
    if (section.size() == 0) continue;
    std::memcpy(to, section.words().data(), section.words().size_bytes());
    to += section.size();
  }
  return all;
}

std::size_t longest_instruction(const Builder& builder) {
  std::size_t longest = 0;
  for (const WordBuffer& section : builder.sections_) longest = std::max(longest, section.longest());
  return longest;
}

void Builder::copy(Section to, const Instruction& instruction) {
  section(to).op_list(instruction.op, instruction.operands);
  if (to == Section::Functions) return;
  // The key is the opcode, the type of a constant, and the operands after the result. The first of equal ones counts.
  const auto remember = [&](bool typed, std::size_t operands_before) {
    key_.assign(1, static_cast<std::uint32_t>(instruction.op));
    if (typed) key_.push_back(instruction.type);
    const WordSpan rest = instruction.operands.subspan(operands_before);
    key_.insert(key_.end(), rest.begin(), rest.end());
    Id& known = ids_.find_any(key_);
    if (known == 0) known = instruction.result != 0 ? instruction.result : 1;
  };
  switch (instruction.op) {
    case spv::Op::OpCapability:
    case spv::Op::OpExtension:
      return remember(false, 0);
    case spv::Op::OpTypeStruct:  // always new
    case spv::Op::OpTypeArray:   // their strides, which are part of them, are decorations
    case spv::Op::OpTypeRuntimeArray:
      return;
    case spv::Op::OpTypeInt:
      remember_scalar(instruction.result, instruction.operand(1), instruction.operand(2) != 0);
      return remember(false, 1);
    case spv::Op::OpTypeFloat:
      remember_scalar(instruction.result, instruction.operand(1), false);
      return remember(false, 1);
    case spv::Op::OpConstantTrue:
    case spv::Op::OpConstantFalse:
    case spv::Op::OpConstant:
    case spv::Op::OpConstantComposite:
    case spv::Op::OpConstantNull:
      return remember(true, 2);
    default:
      if (instruction.result != 0 && instruction.type == 0) remember(false, 1);  // other types, imports
  }
}

void Builder::emit(Section to, spv::Op op, const Operands& operands) { section(to).op_list(op, operands.words()); }

// --- preamble ------------------------------------------------------------------------------------------------------

// Whether this is the first time.
bool Builder::is_new(spv::Op op, WordSpan operands) {
  key_.assign(1, static_cast<std::uint32_t>(op));
  key_.insert(key_.end(), operands.begin(), operands.end());
  Id& known = ids_.find_any(key_);
  return std::exchange(known, 1) == 0;
}

void Builder::capability(spv::Capability capability) {
  const std::array operands = {static_cast<std::uint32_t>(capability)};
  if (is_new(spv::Op::OpCapability, operands)) section(Section::Capabilities).op(spv::Op::OpCapability, capability);
}

void Builder::extension(std::string_view name) {
  const Operands operands = Operands().add(name);
  if (is_new(spv::Op::OpExtension, operands.words())) emit(Section::Extensions, spv::Op::OpExtension, operands);
}

Id Builder::import(std::string_view instruction_set) {
  key_.assign(1 + string_words(instruction_set), 0);
  key_[0] = static_cast<std::uint32_t>(spv::Op::OpExtInstImport);
  std::memcpy(key_.data() + 1, instruction_set.data(), instruction_set.size());
  Id& id = ids_.find_any(key_);
  if (id == 0) {
    id = new_id();
    section(Section::Imports).op_text(spv::Op::OpExtInstImport, instruction_set, {}, id);
  }
  return id;
}

void Builder::memory_model(spv::AddressingModel addressing, spv::MemoryModel memory) {
  section(Section::MemoryModel).op(spv::Op::OpMemoryModel, addressing, memory);
}

void Builder::entry_point(spv::ExecutionModel model, Id function, std::string_view name, WordSpan interface) {
  section(Section::EntryPoints).op_text(spv::Op::OpEntryPoint, name, interface, model, function);
}

void Builder::execution_mode(Id entry_point, spv::ExecutionMode mode, const Operands& operands) {
  section(Section::ExecutionModes).op_list(spv::Op::OpExecutionMode, operands.words(), entry_point, mode);
}

// --- names and decorations -----------------------------------------------------------------------------------------

void Builder::name(Id target, std::string_view text) {
  section(Section::Names).op_text(spv::Op::OpName, text, {}, target);
}

void Builder::member_name(Id structure, std::uint32_t member, std::string_view text) {
  section(Section::Names).op_text(spv::Op::OpMemberName, text, {}, structure, member);
}

void Builder::decorate(Id target, spv::Decoration decoration, const Operands& operands) {
  section(Section::Annotations).op_list(spv::Op::OpDecorate, operands.words(), target, decoration);
}

void Builder::decorate_member(Id structure, std::uint32_t member, spv::Decoration decoration,
                              const Operands& operands) {
  section(Section::Annotations).op_list(spv::Op::OpMemberDecorate, operands.words(), structure, member, decoration);
}

// --- types ---------------------------------------------------------------------------------------------------------

Id Builder::unique_type(WordSpan key) {
  // Most are pointers, which have three words.
  Id& id = key.size() == 3 ? ids_.find(key.first<3>()) : ids_.find_any(key);
  if (id == 0) {
    id = new_id();
    section(Section::Globals).op_list(static_cast<spv::Op>(key[0]), key.subspan(1), id);
  }
  return id;
}

Id Builder::type(spv::Op op, const Operands& operands) {
  key_.assign(1, static_cast<std::uint32_t>(op));
  key_.insert(key_.end(), operands.words().begin(), operands.words().end());
  return unique_type(key_);
}

Id Builder::type_void() { return unique_type(std::array{static_cast<std::uint32_t>(spv::Op::OpTypeVoid)}); }
Id Builder::type_bool() { return unique_type(std::array{static_cast<std::uint32_t>(spv::Op::OpTypeBool)}); }

void Builder::remember_scalar(Id type, std::uint32_t width, bool is_signed) {
  if (!std::ranges::contains(scalars_, type, &Scalar::type)) scalars_.push_back({type, width, is_signed});
}

Id Builder::type_int(std::uint32_t width, bool is_signed) {
  const Id id = type(spv::Op::OpTypeInt, width, is_signed);
  remember_scalar(id, width, is_signed);
  return id;
}

Id Builder::type_float(std::uint32_t width) {
  const Id id = type(spv::Op::OpTypeFloat, width);
  remember_scalar(id, width, false);
  return id;
}

Id Builder::type_vector(Id component, std::uint32_t count) { return type(spv::Op::OpTypeVector, component, count); }
Id Builder::type_matrix(Id column, std::uint32_t count) { return type(spv::Op::OpTypeMatrix, column, count); }

Id Builder::type_array(Id element, std::uint32_t length, std::uint32_t stride) {
  return type_array_of(element, constant_u32(length), stride);
}

Id Builder::type_runtime_array(Id element, std::uint32_t stride) { return type_array_of(element, 0, stride); }

// The stride is part of an array type's identity, although a decoration holds it.
Id Builder::type_array_of(Id element, Id length, std::uint32_t stride) {
  const std::array key = {kArrayKey, element, length, stride};
  Id& id = ids_.find(std::span<const std::uint32_t, 4>(key));
  if (id != 0) return id;
  id = new_id();
  if (length == 0) {
    section(Section::Globals).op(spv::Op::OpTypeRuntimeArray, id, element);
  } else {
    section(Section::Globals).op(spv::Op::OpTypeArray, id, element, length);
  }
  if (stride != 0) section(Section::Annotations).op(spv::Op::OpDecorate, id, spv::Decoration::ArrayStride, stride);
  return id;
}

Id Builder::type_pointer(spv::StorageClass storage, Id pointee) {
  return type(spv::Op::OpTypePointer, storage, pointee);
}

Id Builder::type_function(Id result, WordSpan parameters) {
  return type(spv::Op::OpTypeFunction, Operands({result}).add(parameters));
}

Id Builder::type_struct(WordSpan members) {
  const Id id = new_id();
  section(Section::Globals).op_list(spv::Op::OpTypeStruct, members, id);
  return id;
}

// --- constants -----------------------------------------------------------------------------------------------------

WordSpan Builder::literal(Id type, std::uint64_t bits, std::array<std::uint32_t, 2>& words) const {
  const auto known = std::ranges::find(scalars_, type, &Scalar::type);
  const Scalar scalar = known == scalars_.end() ? Scalar() : *known;
  if (scalar.width == 64) {
    words = {static_cast<std::uint32_t>(bits), static_cast<std::uint32_t>(bits >> 32)};
    return words;
  }
  // SPIR-V 1.6, 2.2.1: a narrow literal fills its word, extended by its sign when its type is signed, else by zeros.
  const std::uint32_t unused = 32 - scalar.width;
  const auto word = static_cast<std::uint32_t>(bits) << unused;
  words[0] = scalar.is_signed ? static_cast<std::uint32_t>(static_cast<std::int32_t>(word) >> unused) : word >> unused;
  return WordSpan(words).first(1);
}

Id Builder::constant_bool(bool value) {
  return unique_constant(value ? spv::Op::OpConstantTrue : spv::Op::OpConstantFalse, type_bool());
}

Id Builder::constant(Id type, std::uint64_t bits) {
  std::array<std::uint32_t, 2> words{};
  return unique_constant(spv::Op::OpConstant, type, literal(type, bits, words));
}

Id Builder::constant_u32(std::uint32_t value) { return constant_word(type_int(32, false), value); }
Id Builder::constant_i32(std::int32_t value) {
  return constant_word(type_int(32, true), static_cast<std::uint32_t>(value));
}
Id Builder::constant_f32(float value) { return constant_word(type_float(32), std::bit_cast<std::uint32_t>(value)); }

Id Builder::constant_word(Id type, std::uint32_t bits) {
  const std::array key = {static_cast<std::uint32_t>(spv::Op::OpConstant), type, bits};
  Id& id = ids_.find(std::span<const std::uint32_t, 3>(key));
  if (id == 0) {
    id = new_id();
    section(Section::Globals).op(spv::Op::OpConstant, type, id, bits);
  }
  return id;
}

Id Builder::constant_composite(Id type, WordSpan constituents) {
  return unique_constant(spv::Op::OpConstantComposite, type, constituents);
}

Id Builder::constant_null(Id type) { return unique_constant(spv::Op::OpConstantNull, type); }

Id Builder::constant(spv::Op op, Id type, const Operands& operands) {
  return unique_constant(op, type, operands.words());
}

Id Builder::unique_constant(spv::Op op, Id type, WordSpan operands) {
  // Vectors and matrices have few constituents; structures may have more.
  std::array<std::uint32_t, 6> few = {static_cast<std::uint32_t>(op), type};
  WordSpan key(few.data(), 2 + operands.size());
  if (operands.size() <= few.size() - 2) {
    std::ranges::copy(operands, few.begin() + 2);
  } else {
    key_.assign(few.begin(), few.begin() + 2);
    key_.insert(key_.end(), operands.begin(), operands.end());
    key = key_;
  }
  Id& id = ids_.find_any(key);
  if (id == 0) {
    id = new_id();
    section(Section::Globals).op_list(op, operands, type, id);
  }
  return id;
}

Id Builder::specialization_constant(Id type, std::uint64_t default_bits, std::uint32_t spec_id) {
  const Id id = new_id();
  if (type == type_bool()) {
    section(Section::Globals).op(default_bits ? spv::Op::OpSpecConstantTrue : spv::Op::OpSpecConstantFalse, type, id);
  } else {
    std::array<std::uint32_t, 2> words{};
    section(Section::Globals).op_list(spv::Op::OpSpecConstant, literal(type, default_bits, words), type, id);
  }
  decorate(id, spv::Decoration::SpecId, {spec_id});
  return id;
}

Id Builder::variable(Id pointer_type, spv::StorageClass storage, Id initializer) {
  const Id id = new_id();
  const WordSpan initial(&initializer, initializer != 0 ? 1 : 0);
  section(Section::Globals).op_list(spv::Op::OpVariable, initial, pointer_type, id, storage);
  return id;
}

// --- functions -----------------------------------------------------------------------------------------------------

Id Builder::begin_function(Id result_type, Id function_type) {
  const Id id = new_id();
  section(Section::Functions)
      .op(spv::Op::OpFunction, result_type, id, spv::FunctionControlMask::MaskNone, function_type);
  return id;
}

Id Builder::parameter(Id type) { return op(spv::Op::OpFunctionParameter, type); }

Id Builder::label() {
  const Id id = new_id();
  label(id);
  return id;
}

void Builder::label(Id block) { section(Section::Functions).op(spv::Op::OpLabel, block); }

Id Builder::op(spv::Op op, Id type, const Operands& operands) {
  const Id id = new_id();
  section(Section::Functions).op_list(op, operands.words(), type, id);
  return id;
}

void Builder::op_void(spv::Op op, const Operands& operands) { emit(Section::Functions, op, operands); }

Id Builder::extended(Id set, std::uint32_t instruction, Id type, WordSpan arguments) {
  const Id id = new_id();
  section(Section::Functions).op_list(spv::Op::OpExtInst, arguments, type, id, set, instruction);
  return id;
}

void Builder::end_function() { section(Section::Functions).op(spv::Op::OpFunctionEnd); }

}  // namespace slipway::spirv
