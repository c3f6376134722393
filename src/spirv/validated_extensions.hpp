// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Older versions of SPIRV-Tools do not know the extensions SPV_ARM_tensors and SPV_ARM_graph.
#pragma once

#include <vector>

#include "spirv/module.hpp"

namespace slipway::spirv {

// False: `validate` accepts each module that has tensors or graphs.
bool validates_tensors();
// Whether the module has what this version does not know.
bool has_unknown_extensions(WordSpan words);

// Reads the instructions of the two extensions.
class TensorInstructions {
 public:
  // False: it is not one of them. Sets its type, its result, and which of its words are ids.
  bool read(Instruction& instruction, std::vector<bool>& is_id);

 private:
  std::vector<Id> sets_;  // of extended instructions for graphs
};

}  // namespace slipway::spirv
