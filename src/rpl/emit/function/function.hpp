// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The functions of a module: one walk over the code of each function that an entry point reaches.
//
// A function is emitted when a call names it, so that only used functions are emitted, each instance once.
#pragma once

#include <vector>

#include "rpl/emit/function/builtins.hpp"
#include "rpl/emit/function/calls.hpp"
#include "rpl/emit/function/operators.hpp"
#include "rpl/emit/module/source_lines.hpp"

namespace slipway::rpl::emit {

class FunctionEmitter {
 public:
  FunctionEmitter(Emission& emission, ModuleTypes& types, ModuleVariables& variables, SourceLines& lines);
  void begin_module();

  // Emits the functions that the entry point calls, and begins its own, up to `end_entry`.
  void begin_entry(std::uint32_t function, Id id);
  // The first instructions of the entry point.
  WordBuffer& prologue() { return code_.prologue(); }
  void end_entry() { code_.end(); }

 private:
  void emit_function(const FunctionInstance& instance);
  Id declare_arguments(const FunctionInstance& instance);
  void emit_code(const Function& function);
  void emit_instruction(std::uint32_t index);
  void emit_declaration(const Instruction& instruction);
  void begin_logic(const Instruction& instruction);
  Id end_logic(const Instruction& instruction);
  void test_loop(Ref condition);
  bool is_new(const Instruction& instruction) const;
  Id value(const Instruction& instruction);

  Emission& emission_;
  ModuleTypes& types_;
  SourceLines& lines_;
  FunctionInstances instances_;
  FunctionCode code_;
  FunctionValues values_;
  ControlFlow control_;
  LayoutCopies copies_;
  MemoryAccess memory_;
  OperatorEmitter operators_;
  ImageEmitter images_;
  BuiltinEmitter builtins_;
  CallEmitter calls_;
  std::vector<std::uint32_t> signature_;  // of the current function: opcode, result, arguments
};

}  // namespace slipway::rpl::emit
