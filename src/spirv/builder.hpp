// Builds a SPIR-V module. Instructions may be added in any order; each goes to its section, and `words()` puts the
// sections together in the order that the specification demands (SPIR-V 1.6, 2.4).
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
// Types and constants are made once: asking for the same one again gives the same id. Structures alone are always new,
// because their decorations belong to them. The builder checks nothing; tests validate what it makes.
#pragma once

#include <initializer_list>
#include <map>
#include <string_view>
#include <vector>

#include "spirv/module.hpp"

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

// The operands of an instruction: words, enumerants and strings, written one behind the other.
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

// Where an instruction outside of functions and graphs belongs.
Section section_of(spv::Op op);

class Builder {
 public:
  explicit Builder(std::uint32_t version = kVersion16);
  // Goes on from a module: has its version, and ids from its bound on. What stays of the module is copied.
  explicit Builder(const Module& module);
  // An instruction of that module, at the end of a section. What the builder makes only once it knows from then on:
  // asking for a type or constant that was copied gives that one.
  void copy(Section section, const Instruction& instruction);

  Id new_id() { return next_id_++; }
  Id bound() const { return next_id_; }

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
  // A `stride` of 0 gives no ArrayStride.
  Id type_array(Id element, std::uint32_t length, std::uint32_t stride = 0);
  Id type_runtime_array(Id element, std::uint32_t stride);
  Id type_pointer(spv::StorageClass storage, Id pointee);
  Id type_function(Id result, WordSpan parameters);
  Id type_struct(WordSpan members);
  // Any other type by its opcode and operands behind the result.
  Id type(spv::Op op, const Operands& operands);

  // Constants. `bits` is the value as it stands in memory: signed values narrower than 32 bits are extended here.
  Id constant_bool(bool value);
  Id constant(Id type, std::uint64_t bits);
  Id constant_u32(std::uint32_t value);
  Id constant_i32(std::int32_t value);
  Id constant_f32(float value);
  Id constant_composite(Id type, WordSpan constituents);
  Id constant_null(Id type);
  // Any other constant by its opcode and operands behind the result.
  Id constant(spv::Op op, Id type, const Operands& operands);
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

  // One instruction at the end of a section, as it is.
  void emit(Section section, spv::Op op, const Operands& operands = {});

  Words words() const;

 private:
  struct Scalar {
    std::uint32_t width;
    bool is_signed;
  };

  void once(Section section, spv::Op op, const Operands& operands);
  Id unique(Section section, spv::Op op, Id type, const Operands& operands);
  Id with_stride(spv::Op op, const Operands& operands, std::uint32_t stride);
  Operands literal(Id type, std::uint64_t bits) const;

  std::uint32_t version_;
  Id next_id_ = 1;
  std::vector<Words> sections_;
  std::map<Words, Id> unique_;  // by opcode, type and operands
  std::map<std::pair<spv::Op, Words>, Id> arrays_;
  std::map<Id, Scalar> scalars_;  // number types, for the width of literals
};

}  // namespace slipway::spirv
