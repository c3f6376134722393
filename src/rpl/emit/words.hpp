// Words of a SPIR-V module in the making, made for speed: sections are growing buffers that keep their memory from one
// module to the next, instructions are written straight into them, and types and constants are found again by a hash of
// their words. (spirv::Builder is the comfortable one: it allocates for every instruction, which here would cost more
// than everything else together.)
//
//   ModuleWords module;
//   module.reset(0x10600);
//   const Id u32 = module.type(spv::Op::OpTypeInt, 32u, 0u);
//   module.functions.op(spv::Op::OpReturn);
//   spirv::Words words = module.finish();
//
// It checks nothing: tests validate what the emitter writes.
#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <spirv/unified1/spirv.hpp11>
#include <string_view>
#include <vector>

#include "spirv/module.hpp"

namespace slipway::rpl::emit {

using spirv::Id;
using spirv::WordSpan;

// A growing buffer of words. Memory is not cleared and never shrinks.
class WordBuffer {
 public:
  void clear() { size_ = 0; }
  std::size_t size() const { return size_; }
  WordSpan words() const { return {data_.get(), size_}; }
  std::uint32_t& operator[](std::size_t index) { return data_[index]; }

  // Room for `count` more words, which the caller fills; good until the next call.
  std::uint32_t* grow(std::size_t count) {
    if (capacity_ - size_ < count) [[unlikely]] {
      enlarge(count);
    }
    std::uint32_t* const at = data_.get() + size_;
    size_ += count;
    return at;
  }

  // One instruction. Operands are words or enumerants.
  template <class... Operand>
  void op(spv::Op op, Operand... operands) {
    std::uint32_t* at = grow(sizeof...(operands) + 1);
    *at = first_word(op, sizeof...(operands) + 1);
    ((*++at = static_cast<std::uint32_t>(operands)), ...);
  }
  // The same with a list of further words behind the fixed operands.
  template <class... Operand>
  void op_list(spv::Op op, WordSpan list, Operand... operands) {
    const std::size_t count = sizeof...(operands) + 1 + list.size();
    std::uint32_t* at = grow(count);
    *at = first_word(op, count);
    ((*++at = static_cast<std::uint32_t>(operands)), ...);
    ++at;
    for (const std::uint32_t word : list) *at++ = word;
  }
  // The same with a string, then a list, at the end.
  template <class... Operand>
  void op_text(spv::Op op, std::string_view text, WordSpan list, Operand... operands) {
    const std::size_t string = spirv::string_words(text);
    const std::size_t count = sizeof...(operands) + 1 + string + list.size();
    std::uint32_t* at = grow(count);
    *at = first_word(op, count);
    ((*++at = static_cast<std::uint32_t>(operands)), ...);
    ++at;
    at[string - 1] = 0;  // the terminator and what fills the last word
    if (!text.empty()) std::memcpy(at, text.data(), text.size());
    at += string;
    for (const std::uint32_t word : list) *at++ = word;
  }
  void append(WordSpan words) {
    if (!words.empty()) std::memcpy(grow(words.size()), words.data(), words.size_bytes());
  }

 private:
  static std::uint32_t first_word(spv::Op op, std::size_t count) {
    return static_cast<std::uint32_t>(count) << 16 | static_cast<std::uint32_t>(op);
  }
  void enlarge(std::size_t count);

  std::unique_ptr<std::uint32_t[]> data_;
  std::size_t size_ = 0;
  std::size_t capacity_ = 0;
};

// Ids by the words of what they stand for. Emptying it is free: entries of earlier generations count as absent.
class UniqueIds {
 public:
  void clear();
  // The id of a key, or a reference to 0 under which the caller stores the new id at once. Most keys have a size that
  // the compiler knows.
  template <std::size_t size>
  Id& find(std::span<const std::uint32_t, size> key);

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

// The sections of a module in the order that the specification demands (SPIR-V 1.6, 2.4).
class ModuleWords {
 public:
  // Starts a new module. `version` is the version word.
  void reset(std::uint32_t version);

  Id new_id() { return next_id_++; }

  void capability(spv::Capability capability);  // each appears once
  void extension(std::string_view name);
  Id import(std::string_view instruction_set);

  // A type that is known by its opcode and operands.
  template <class... Operand>
  Id type(spv::Op op, Operand... operands) {
    const std::array<std::uint32_t, sizeof...(operands) + 1> key = {static_cast<std::uint32_t>(op),
                                                                    static_cast<std::uint32_t>(operands)...};
    return unique_type(key);
  }
  // A type of which the caller knows that the module does not have it yet.
  template <class... Operand>
  Id new_type(spv::Op op, Operand... operands) {
    const Id id = new_id();
    globals.op(op, id, operands...);
    return id;
  }
  // As `type`, from words: the opcode, then the operands.
  Id unique_type(WordSpan key);
  // An array with a stride decoration; 0 for none. A length of 0 is a runtime array.
  Id array(Id element, Id length, std::uint32_t stride);
  // Constants of a type: opcode, type, operands.
  Id constant(Id type, std::uint32_t bits);
  Id composite(Id type, WordSpan constituents);
  Id null(Id type) { return unique_constant(spv::Op::OpConstantNull, type); }
  Id unique_constant(spv::Op op, Id type);  // one without operands: true, false, null

  WordBuffer preamble;  // memory model, entry points and execution modes, in this order
  WordBuffer strings;
  WordBuffer names;
  WordBuffer annotations;
  WordBuffer globals;  // types, constants, variables
  WordBuffer functions;

  // The whole. The writer keeps its memory for the next module.
  spirv::Words finish() const;
  std::size_t words() const;

 private:
  std::uint32_t version_ = 0;
  Id next_id_ = 1;
  WordBuffer capabilities_;
  WordBuffer extensions_;
  WordBuffer imports_;
  UniqueIds ids_;
  std::vector<std::uint32_t> key_;
};

}  // namespace slipway::rpl::emit
