// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Lvalues: pointers into memory, loads and stores, and parts of values.
//
// Values are plain; what is loaded from or stored to laid-out memory is copied between the versions. An `in` argument
// that is indexed at run time has one variable for this, which the prologue sets.
#pragma once

#include <span>
#include <vector>

#include "rpl/emit/function/copies.hpp"
#include "rpl/emit/function/values.hpp"
#include "rpl/emit/module/variables.hpp"

namespace slipway::rpl::emit {

class MemoryAccess {
 public:
  MemoryAccess(Emission& emission, ModuleTypes& types, ModuleVariables& variables, FunctionCode& code,
               FunctionValues& values, LayoutCopies& copies)
      : emission_(emission), types_(types), variables_(variables), code_(code), values_(values), copies_(copies) {}
  void begin_module();
  void begin_function(const Function& function);

  Id load(const LValue& lvalue);
  void store(const LValue& lvalue, Id value);
  Storage storage_of(const LValue& lvalue) const;
  // `storage` is that of the lvalue; `writes`: the pointer is written to.
  Id address_of(const LValue& lvalue, Storage storage, bool writes);
  // An element of an array that is not an lvalue, for example the result of a call.
  Id element_of_value(TypeId array, Id value, Ref index, TypeId result);

 private:
  Id part_of_value(const LValue& lvalue, Id value);
  Id index_of(const Step& step) {
    return step.kind == StepKind::Element ? values_.of(step.value) : types_.u1(step.value);
  }

  Emission& emission_;
  ModuleTypes& types_;
  ModuleVariables& variables_;
  FunctionCode& code_;
  FunctionValues& values_;
  LayoutCopies& copies_;
  std::vector<Id> spilled_;  // by argument: the variable, or 0
  std::vector<Id> indices_;  // memory for the indices of one instruction
};

}  // namespace slipway::rpl::emit
