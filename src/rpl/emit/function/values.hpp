// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The ids of the values of the current function: results of instructions, locals and arguments.
//
// A value is set before it is used. A local is the id of its variable if it is in memory, else that of its value; 0
// until its declaration is emitted. An argument is a value, a pointer to a temporary of the caller, an image or a
// sampler.
#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "rpl/emit/module/types.hpp"

namespace slipway::rpl::emit {

class FunctionValues {
 public:
  FunctionValues(const Emission& emission, ModuleTypes& types) : emission_(emission), types_(types) {}
  void begin_module();
  void begin_function(const Function& function);

  Id of(Ref ref) { return is_constant(ref) ? types_.constant(ref) : values_[ref]; }
  // Of several operands; valid until the next call.
  std::span<const Id> of_list(std::span<const Ref> refs);
  void set(std::uint32_t instruction, Id id) { values_[instruction] = id; }

  Id& local(std::uint32_t index) { return locals_[index]; }
  Id& argument(std::uint32_t index) { return arguments_[index]; }
  // Whether it is the id of an argument of the function.
  bool is_argument(Id id) const;

 private:
  const Emission& emission_;
  ModuleTypes& types_;
  std::vector<Id> values_;     // by instruction
  std::vector<Id> locals_;     // by local
  std::vector<Id> arguments_;  // by argument
  List own_arguments_;
  std::vector<Id> listed_;
};

}  // namespace slipway::rpl::emit
