// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A SPIR-V module as a value: its words, and its instructions as views of them.
//
//   const Result<Module> module = read_module(file.bytes(), "blur.spv");
//   for (const Instruction& instruction : module->instructions()) ...
//
// Nothing in a module file is trusted. `read_module` checks the header, every word count, every operand against the
// grammar, and that ids are below the bound and defined once. Afterwards the operands that the grammar demands are
// there and strings end; an id may still be undefined or refer to an instruction of the
// wrong kind, so users must look it up.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.hpp"
#include "base/diagnostic.hpp"

// Of <spirv/unified1/spirv.hpp11>, which is needed only to name enumerants.
namespace spv {
enum class Op : unsigned;
}

namespace slipway::spirv {

using Id = std::uint32_t;
using Words = std::vector<std::uint32_t>;
using WordSpan = std::span<const std::uint32_t>;

inline constexpr std::uint32_t kVersion13 = 0x10300;
inline constexpr std::uint32_t kVersion16 = 0x10600;
inline constexpr std::size_t kHeaderWords = 5;

struct Instruction {
  spv::Op op;
  Id type = 0;               // of the result; 0 without
  Id result = 0;             // 0 without
  std::uint32_t offset = 0;  // of the instruction's first word in the module, in words
  WordSpan operands;         // all words after the first: type and result, then the rest

  // The word at an index of `operands`; 0, which is not an id, past the end.
  std::uint32_t operand(std::size_t index) const { return index < operands.size() ? operands[index] : 0; }
  // The string that starts at an operand, without its terminator.
  std::string_view string(std::size_t index) const;
};

// The words that a string takes with its terminator.
constexpr std::size_t string_words(std::string_view text) { return text.size() / 4 + 1; }

class Module {
 public:
  // What diagnostics call the module.
  const std::string& name() const { return name_; }
  // The whole module in this machine's byte order.
  WordSpan words() const { return *words_; }
  std::uint32_t version() const { return words()[1]; }
  std::uint32_t id_bound() const { return words()[3]; }

  std::span<const Instruction> instructions() const { return instructions_; }
  // The instruction whose result an id is; null for an id that nothing defines.
  const Instruction* definition(Id id) const;
  // Whether the word at an offset in the module is an id.
  bool is_id(std::uint32_t word_offset) const { return is_id_[word_offset]; }

  SourceLocation location(const Instruction& instruction) const;

 private:
  friend class ModuleReader;
  std::string name_;
  std::shared_ptr<const Words> words_;  // shared, so that copies keep the views valid
  std::vector<Instruction> instructions_;
  std::vector<std::uint32_t> definitions_;  // by id: index of the instruction + 1, 0 for none
  std::vector<bool> is_id_;
};

// Errors: file-format, file-truncated, index-out-of-range. Big-endian modules are swapped. `name` is what diagnostics
// call the module.
Result<Module> read_module(Bytes bytes, std::string name);
Result<Module> read_module(Words words, std::string name);

// Whether bytes start with the SPIR-V magic number in either byte order.
bool is_spirv(Bytes bytes);

}  // namespace slipway::spirv
