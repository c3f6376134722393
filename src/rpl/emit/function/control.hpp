// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Structured control flow: selections, loops, and the short circuit of `&&` and `||`.
//
// Structures nest: each is closed before the one around it, in its merge block. A merge block that no branch reaches is
// terminated at once. A loop header has its merge instruction before the instruction that ends it.
#pragma once

#include <cstddef>
#include <vector>

#include "rpl/emit/function/code.hpp"

namespace slipway::rpl::emit {

class ControlFlow {
 public:
  ControlFlow(Emission& emission, ModuleTypes& types, FunctionCode& code)
      : emission_(emission), types_(types), code_(code) {}

  // After the end of a path nothing is emitted up to the end of its block. Returns whether this instruction is left
  // out; for every instruction while `FunctionCode::ended`.
  bool skips(rpl::Op code);

  void begin_if(Id condition);
  void begin_else();
  void end_if();

  void begin_loop();
  // After the condition of a loop, which is 0 if only jumps leave the loop.
  void test_loop(Id condition);
  void step_loop();
  void end_loop();
  void jump_out();   // break
  void jump_next();  // continue

  // a && b, a || b: b has a block of its own when its evaluation is observable. `end_header` is called before a is
  // used: the condition of a loop continues after the header when it has blocks of its own.
  void end_header();
  void begin_logic(bool is_and, Id left);
  Id end_logic(bool is_and, Id right);

 private:
  struct OpenIf {
    std::size_t branch = 0;  // index of the word of the false label in the body
    Id merge = 0;
    bool reached = false;  // whether some branch reaches the merge
    bool has_else = false;
  };
  struct OpenLoop {
    Id header = 0, merge = 0, next = 0;  // next: the continue target
    bool reached = false;
  };
  struct OpenLogic {
    Id merge = 0;
    Id first_block = 0;
  };

  void merge_of_loop();
  void merge(Id id, bool reached);

  Emission& emission_;
  ModuleTypes& types_;
  FunctionCode& code_;
  std::vector<OpenIf> ifs_;
  std::vector<OpenLoop> loops_;
  std::vector<OpenLogic> logic_;
  std::uint32_t skipped_ = 0;  // structures that began after the end of a path and are open
};

}  // namespace slipway::rpl::emit
