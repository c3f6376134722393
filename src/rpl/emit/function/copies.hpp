// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Copies between the laid-out and the plain version of a struct or an array: values are plain in functions, memory that
// the host sees is laid out. SPIR-V 1.4 has an instruction for this; for Vulkan 1.1 values are copied member by member,
// long arrays by loops.
#pragma once

#include "rpl/emit/function/control.hpp"

namespace slipway::rpl::emit {

// The source or target of a copy in memory, which may be laid out.
struct Pointer {
  Id id = 0;
  Storage storage = Storage::Function;
  TypeId type = kErrorType;
};

class LayoutCopies {
 public:
  LayoutCopies(Emission& emission, ModuleTypes& types, FunctionCode& code, ControlFlow& control)
      : emission_(emission), types_(types), code_(code), control_(control) {}

  Id load(const Pointer& from);
  void store(const Pointer& to, Id value);

 private:
  Pointer part(const Pointer& whole, TypeId type, Id index);
  template <class Body>
  void count_loop(std::uint32_t times, Body body);

  Emission& emission_;
  ModuleTypes& types_;
  FunctionCode& code_;
  ControlFlow& control_;
};

}  // namespace slipway::rpl::emit
