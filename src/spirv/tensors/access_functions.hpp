// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The functions that replace accesses to tensors in a rewritten module: one for each kind of access to a tensor.
//
//   AccessFunctions functions(view, builder);
//   functions.declare(tensor);                 // its variable, now a buffer
//   const Result<Id> read = functions.id({.tensor = &tensor, .coordinates = type, .value = type}, at);
//   ... calls of %read: descriptor index if it is not fixed, coordinates, value for out of bounds, value to write
//   functions.write();                         // the requested functions
#pragma once

#include <map>
#include <vector>

#include "spirv/builder.hpp"
#include "spirv/tensors/variables.hpp"

namespace slipway::spirv {

struct TensorAccess {
  const TensorVariable* tensor = nullptr;
  Id fixed_index = 0;  // a constant that is the descriptor index
  Id index = 0;        // the type of the descriptor index; 0 when the tensor is not in an array
  bool non_uniform = false;
  bool writes = false;
  Id coordinates = 0;    // the type: an array of integers
  Id value = 0;          // the type: an element, or an array of them
  bool outside = false;  // reads: calls pass the value for out of bounds
  Words memory;          // memory operands of loads and stores: empty, or the mask and its operands
};

// Strides in specialization constants, in elements.
class StrideConstants {
 public:
  explicit StrideConstants(Builder& builder) : builder_(builder) {}
  Id elements(std::uint32_t spec_id, std::uint32_t default_bytes, std::uint32_t element_size);

 private:
  Builder& builder_;
  std::map<std::uint32_t, Id> bytes_;                               // by spec id
  std::map<std::pair<std::uint32_t, std::uint32_t>, Id> elements_;  // and by the size of an element
};

class AccessFunctions {
 public:
  AccessFunctions(const ModuleView& view, Builder& builder) : view_(view), builder_(builder), strides_(builder) {}

  // Under the variable's own id.
  void declare(const TensorVariable& tensor);
  // The same function for the same access. Errors: file-format, for types that no access has; `at` is the instruction.
  Result<Id> id(const TensorAccess& access, const Instruction& at);
  // The number of elements of a dimension, of an integer type; 0 without layouts. `index` is the descriptor index, 0
  // for a tensor that is not in an array. Its instructions go to the end of the function being built.
  Id size(const TensorVariable& tensor, std::uint64_t dimension, Id type, Id index, Id index_type, bool non_uniform);
  void write();

 private:
  const ModuleView& view_;
  Builder& builder_;
  StrideConstants strides_;
  std::map<Id, Id> blocks_;  // by the type of an element: structures around an array of them
  Id record_ = 0;            // the structure TensorRecord
  struct Function {
    TensorAccess access;
    Id id;
  };
  std::vector<Function> functions_;
  std::map<Words, Id> known_;
};

}  // namespace slipway::spirv
