// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the translation needs to know of a kernel: its types, constants and variables by id, and its body as a tree of
// structured control flow. Only what kernels of `lower` use is known; anything else is refused by its name.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include <spirv/unified1/spirv.hpp11>

#include "spirv/module.hpp"

namespace slipway::cpu_compiler {

using spirv::Id;
using spirv::Instruction;

struct Type {
  enum class Kind : std::uint8_t { Void, Bool, Int, Float, Vector, Array, Struct, Pointer, Function, Matrix };
  Kind kind = Kind::Void;
  std::uint32_t width = 0;             // Int, Float: bits
  bool is_bfloat = false;              // Float, only in matrices
  std::uint32_t count = 0;             // Vector: components; Array: elements, 0 if that is not known; Matrix: columns
  std::uint32_t rows = 0;              // Matrix
  std::uint32_t use = 0;               // Matrix: spv::CooperativeMatrixUse
  Id element = 0;                      // Vector, Array, Matrix; Pointer: what it points to
  std::uint32_t stride = 0;            // Array: bytes
  std::vector<Id> members;             // Struct
  std::vector<std::uint32_t> offsets;  // Struct: bytes, by member
  spv::StorageClass storage = spv::StorageClass::Function;
};

struct Variable {
  Id type = 0;  // what it contains
  spv::StorageClass storage = spv::StorageClass::Function;
  std::optional<spv::BuiltIn> built_in;
  std::uint32_t binding = 0;
};

// --- the body ---

struct Statement;
using Block = std::vector<Statement>;

struct If {
  Id condition = 0;
  Block body;
};
struct Loop {
  Block test;  // computes the condition
  Id condition = 0;
  Block body, step;
  bool waits = false;  // until the condition is true, instead of repeating the body while it is
};
struct Statement {
  std::variant<const Instruction*, If, Loop> what;
};

struct KernelModule {
  const spirv::Module* module = nullptr;
  std::map<Id, Type> types;
  std::map<Id, std::uint64_t> constants;  // bits; of booleans 0 or 1
  std::map<Id, Id> constant_types;
  std::set<Id> zero_matrices;
  std::map<Id, Variable> variables;
  std::uint32_t local_size = 1;
  Id glsl = 0;  // the instruction set GLSL.std.450
  Block body;

  // A type by its id; void for an id that is not a type.
  const Type& type(Id id) const {
    static const Type kNone{};
    const auto known = types.find(id);
    return known == types.end() ? kNone : known->second;
  }
};

// Errors: unsupported, with the name of what the engine does not know.
Result<KernelModule> read_kernel(const spirv::Module& module);

// The failure for something that the engine does not know: "the CPU engine has no OpFoo".
std::unexpected<Failure> unknown(const spirv::Module& module, const Instruction& instruction);
std::unexpected<Failure> refused(const spirv::Module& module, std::string_view what);

}  // namespace slipway::cpu_compiler
