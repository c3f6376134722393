// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The tensors that a module declares, each with its layouts.
#pragma once

#include <map>
#include <span>
#include <vector>

#include "spirv/reflect/reflect_parts.hpp"
#include "spirv/tensors/layout.hpp"

namespace slipway::spirv {

struct TensorVariable {
  const Instruction* variable = nullptr;
  TensorType declared;
  Id element = 0;  // the type of an element in the shader
  Id array = 0;    // the type of the array of descriptors; 0 without one
  // One that all descriptors of the binding have, or one for each of them. Empty: the tensor has no elements.
  std::vector<TensorLayout> layouts;
  bool by_record = false;    // shaders read a TensorRecord
  bool is_volatile = false;  // by record: declared as coherent or volatile
};

// Whether a type is an integer of a width that SPIR-V has.
bool is_integer(const Instruction* type);

using TensorVariables = std::map<Id, TensorVariable>;

// Errors: those of `emulate_tensors` about declarations and layouts.
Result<TensorVariables> find_tensors(const ModuleView& view, std::span<const TensorBinding> bindings);
// The same without layouts, which records have.
Result<TensorVariables> find_tensors_by_record(const ModuleView& view);

}  // namespace slipway::spirv
