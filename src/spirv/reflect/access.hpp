// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which module-scope variables the functions that an entry point reaches use, read and write.
//
// A value that points to a variable, or is a handle loaded from one (an image, a tensor), is *derived* from it: access
// chains, copies, selections, function parameters and results. An access to a derived value is an access to everything
// that it derives from. The order of execution does not matter: the result is what an entry point may do.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "spirv/module.hpp"

namespace slipway::spirv {

// The functions of a module: the instructions from OpFunction to OpFunctionEnd, by the function's id.
class Functions {
 public:
  explicit Functions(const Module& module);

  // Empty for an id that is not a function.
  std::span<const Instruction> body(Id function) const;
  // A function and all that it calls, directly or not. Ids that are not functions are omitted.
  std::vector<Id> reachable(Id function) const;

 private:
  std::unordered_map<Id, std::span<const Instruction>> bodies_;
};

struct Access {
  bool used = false;
  bool reads = false;
  bool writes = false;
};

// By variable; unused ones are omitted.
std::unordered_map<Id, Access> find_accesses(const Module& module, const Functions& functions, Id entry_point);

}  // namespace slipway::spirv
