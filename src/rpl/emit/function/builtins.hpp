// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Calls of built-in functions (docs/spec/rpl.md#stages-and-built-ins). The module imports the extended instructions at
// the first call that needs them.
#pragma once

#include <span>

#include "rpl/emit/function/images.hpp"

namespace slipway::rpl::emit {

class BuiltinEmitter {
 public:
  BuiltinEmitter(Emission& emission, ModuleTypes& types, ModuleVariables& variables, FunctionCode& code,
                 FunctionValues& values, MemoryAccess& memory, ImageEmitter& images)
      : emission_(emission),
        types_(types),
        variables_(variables),
        code_(code),
        values_(values),
        memory_(memory),
        images_(images) {}
  void begin_module() { import_ = 0; }

  // The result, or 0 for functions without one.
  Id call(const Instruction& instruction);

 private:
  Id special(Builtin builtin, TypeId type, std::span<const std::uint32_t> operands);
  Id extended(std::uint32_t number, TypeId type, std::span<const Ref> operands);
  Id atomic(Builtin builtin, TypeId type, std::span<const std::uint32_t> operands);

  Emission& emission_;
  ModuleTypes& types_;
  ModuleVariables& variables_;
  FunctionCode& code_;
  FunctionValues& values_;
  MemoryAccess& memory_;
  ImageEmitter& images_;
  Id import_ = 0;  // GLSL.std.450
};

}  // namespace slipway::rpl::emit
