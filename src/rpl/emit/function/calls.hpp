// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Calls of the program's functions. `in` arguments go by value; `out` and `in out` arguments through temporaries of the
// caller, which are stored to their lvalues after the callee has returned (docs/spec/rpl.md#passing-arguments).
//
// A temporary belongs to at most one argument of a call; later calls reuse it.
#pragma once

#include <vector>

#include "rpl/emit/function/images.hpp"

namespace slipway::rpl::emit {

class CallEmitter {
 public:
  CallEmitter(Emission& emission, ModuleTypes& types, FunctionCode& code, FunctionValues& values, MemoryAccess& memory,
              ImageEmitter& images, FunctionInstances& instances)
      : emission_(emission),
        types_(types),
        code_(code),
        values_(values),
        memory_(memory),
        images_(images),
        instances_(instances) {}
  void begin_function() { temporaries_.clear(); }

  Id call(const Instruction& instruction);

 private:
  struct Temporary {
    TypeId type;
    Id id;
    bool taken;
  };

  Id temporary(TypeId type);

  Emission& emission_;
  ModuleTypes& types_;
  FunctionCode& code_;
  FunctionValues& values_;
  MemoryAccess& memory_;
  ImageEmitter& images_;
  FunctionInstances& instances_;
  std::vector<Temporary> temporaries_;  // of the current function
  std::vector<Id> passed_;              // memory for the arguments of one call
  std::vector<ImageArgument> passed_images_;
};

}  // namespace slipway::rpl::emit
