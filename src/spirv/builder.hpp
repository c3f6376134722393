// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Builds a SPIR-V module. Instructions may be added in any order; each goes to its section, and `words()` concatenates
// the sections in the order that the specification demands (SPIR-V 1.6, 2.4).
//
//   Builder builder;
//   builder.capability(spv::Capability::Shader);
//   const Id u32 = builder.type_int(32, false);
//   const Id main = builder.begin_function(builder.type_void(), builder.type_function(builder.type_void(), {}));
//   builder.label();
//   const Id sum = builder.op(spv::Op::OpIAdd, u32, {a, b});
//   builder.op_void(spv::Op::OpReturn);
//   builder.end_function();
//
// Types and constants are unique: asking for the same one again returns the same id. Structures alone are always new,
// because their decorations belong to them. The builder checks nothing; tests validate what it builds.
//
// Code that emits many modules keeps one builder and calls `reset`: sections and the table of ids keep their memory.
// Such code also writes straight into a section, without an `Operands` list, which allocates:
//
//   builder.section(Section::Functions).op(spv::Op::OpReturn);
#pragma once

#include <array>
#include <initializer_list>
#include <string_view>
#include <type_traits>
#include <vector>

#include "spirv/module.hpp"
#include "spirv/word_buffer.hpp"

namespace spv {
enum class AddressingModel : unsigned;
enum class BuiltIn : unsigned;
enum class Capability : unsigned;
enum class Decoration : unsigned;
enum class ExecutionMode : unsigned;
enum class ExecutionModel : unsigned;
enum class FunctionControlMask : unsigned;
enum class MemoryModel : unsigned;
enum class StorageClass : unsigned;
}  // namespace spv

namespace slipway::spirv {

// The operands of an instruction: words, enumerants and strings in sequence.
class Operands {
 public:
  Operands() = default;
  Operands(std::initializer_list<std::uint32_t> words) : words_(words) {}
  explicit Operands(WordSpan words) : words_(words.begin(), words.end()) {}

  Operands& add(std::uint32_t word) {
    words_.push_back(word);
    return *this;
  }
  template <class E>
    requires std::is_enum_v<E>
  Operands& add(E enumerant) {
    return add(static_cast<std::uint32_t>(enumerant));
  }
  Operands& add(WordSpan words) {
    words_.insert(words_.end(), words.begin(), words.end());
    return *this;
  }
  Operands& add(std::string_view text);

  WordSpan words() const { return words_; }

 private:
  Words words_;
};

// In the order of the module.
enum class Section {
  Capabilities,
  Extensions,
  Imports,
  MemoryModel,
  EntryPoints,
  ExecutionModes,
  DebugStrings,
  Names,
  Annotations,
  Globals,    // types, constants, variables
  Functions,  // and graphs with their entry points (SPV_ARM_graph)
  Count,
};

// The section of an instruction outside functions and graphs.
Section section_of(spv::Op op);

// Ids by the words that they represent. Clearing takes constant time: entries of earlier generations count as absent.
class UniqueIds {
 public:
  void clear();
  // The id of a key, or a reference to 0, under which the caller stores the new id before the next call. Most keys have
  // a size that is known at compile time.
  template <std::size_t size>
  Id& find(std::span<const std::uint32_t, size> key);
  Id& find_any(WordSpan key);

 private:
  struct Entry {
    std::uint32_t generation = 0;
    std::uint32_t hash = 0;
    std::uint32_t key = 0;  // index in keys_: the number of words, then the words
    Id id = 0;
  };
  template <std::size_t size>
  static std::uint32_t hash_of(std::span<const std::uint32_t, size> key);
  void enlarge();

  std::vector<Entry> entries_;
  WordBuffer keys_;
  std::size_t used_ = 0;
  std::uint32_t generation_ = 0;
};

class Builder {
 public:
  explicit Builder(std::uint32_t version = kVersion16) { reset(version); }
  // Continues a module: has its version, and ids from its bound on. The instructions that stay are copied with `copy`.
  explicit Builder(const Module& module);
  // Starts a new module. `version` is the version word. Keeps the memory.
  void reset(std::uint32_t version);
  // An instruction of that module, at the end of a section. From then on, asking for a type or constant that was copied
  // returns that one.
  void copy(Section section, const Instruction& instruction);

  Id new_id() { return next_id_++; }
  Id bound() const { return next_id_; }
  WordBuffer& section(Section section) { return sections_[static_cast<std::size_t>(section)]; }

  // Preamble. Each capability, extension and import appears once.
  void capability(spv::Capability capability);
  void extension(std::string_view name);
  Id import(std::string_view instruction_set);
  void memory_model(spv::AddressingModel addressing, spv::MemoryModel memory);
  void entry_point(spv::ExecutionModel model, Id function, std::string_view name, WordSpan interface);
  void execution_mode(Id entry_point, spv::ExecutionMode mode, const Operands& operands = {});

  // Names and decorations.
  void name(Id target, std::string_view text);
  void member_name(Id structure, std::uint32_t member, std::string_view text);
  void decorate(Id target, spv::Decoration decoration, const Operands& operands = {});
  void decorate_member(Id structure, std::uint32_t member, spv::Decoration decoration, const Operands& operands = {});

  // Types.
  Id type_void();
  Id type_bool();
  Id type_int(std::uint32_t width, bool is_signed);
  Id type_float(std::uint32_t width);
  Id type_vector(Id component, std::uint32_t count);
  Id type_matrix(Id column, std::uint32_t count);
  // A `stride` of 0 adds no ArrayStride.
  Id type_array(Id element, std::uint32_t length, std::uint32_t stride = 0);
  Id type_runtime_array(Id element, std::uint32_t stride);
  // The same with the id of the length constant; 0 for a runtime array.
  Id type_array_of(Id element, Id length, std::uint32_t stride);
  Id type_pointer(spv::StorageClass storage, Id pointee);
  Id type_function(Id result, WordSpan parameters);
  Id type_struct(WordSpan members);
  // Any other type by its opcode and the operands after the result.
  Id type(spv::Op op, const Operands& operands);
  template <class... Operand>
    requires(sizeof...(Operand) != 0 && (std::is_convertible_v<Operand, std::uint32_t> && ...)) ||
            (std::is_enum_v<Operand> || ...)
  Id type(spv::Op op, Operand... operands) {
    const std::array<std::uint32_t, sizeof...(operands) + 1> key = {static_cast<std::uint32_t>(op),
                                                                    static_cast<std::uint32_t>(operands)...};
    return unique_type(key);
  }
  // The same from words: the opcode, then the operands.
  Id unique_type(WordSpan key);
  // A type that the module does not have yet: the caller knows that.
  template <class... Operand>
  Id new_type(spv::Op op, Operand... operands) {
    const Id id = new_id();
    section(Section::Globals).op(op, id, operands...);
    return id;
  }

  // Constants. `bits` is the value as in memory: signed values narrower than 32 bits are extended here.
  Id constant_bool(bool value);
  Id constant(Id type, std::uint64_t bits);
  Id constant_u32(std::uint32_t value);
  Id constant_i32(std::int32_t value);
  Id constant_f32(float value);
  // A constant of a 32-bit type that need not come from type_int or type_float.
  Id constant_word(Id type, std::uint32_t bits);
  Id constant_composite(Id type, WordSpan constituents);
  Id constant_null(Id type);
  // Any other constant by its opcode and the operands after the result.
  Id constant(spv::Op op, Id type, const Operands& operands);
  Id unique_constant(spv::Op op, Id type, WordSpan operands = {});
  Id specialization_constant(Id type, std::uint64_t default_bits, std::uint32_t spec_id);

  // A module-scope variable; `initializer` 0 for none.
  Id variable(Id pointer_type, spv::StorageClass storage, Id initializer = 0);

  // Functions. Instructions go to the end of the function section.
  Id begin_function(Id result_type, Id function_type);
  Id parameter(Id type);
  Id label();            // starts a block under a new id
  void label(Id block);  // starts a block under an id that branches named before
  Id op(spv::Op op, Id type, const Operands& operands = {});
  void op_void(spv::Op op, const Operands& operands = {});
  Id extended(Id set, std::uint32_t instruction, Id type, WordSpan arguments);
  void end_function();

  // One instruction at the end of a section, unchanged.
  void emit(Section section, spv::Op op, const Operands& operands = {});

  // The whole module. It is valid only if its longest instruction has at most kMaxInstruction words.
  Words words() const;
  friend std::size_t longest_instruction(const Builder& builder);

 private:
  struct Scalar {
    Id type = 0;
    std::uint32_t width = 32;
    bool is_signed = false;
  };

  bool is_new(spv::Op op, WordSpan operands);
  void remember_scalar(Id type, std::uint32_t width, bool is_signed);
  WordSpan literal(Id type, std::uint64_t bits, std::array<std::uint32_t, 2>& words) const;

  std::uint32_t version_ = 0;
  Id next_id_ = 1;
  std::array<WordBuffer, static_cast<std::size_t>(Section::Count)> sections_;
  UniqueIds ids_;
  std::vector<std::uint32_t> key_;
  std::vector<Scalar> scalars_;  // number types, for the width of literals
};

}  // namespace slipway::spirv
