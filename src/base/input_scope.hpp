// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// For a process that runs several workloads one after another: the output of one may be the input of another
// (protected_inputs.hpp).
#pragma once

#include <set>

#include "base/files.hpp"

namespace slipway {

// Inputs that are protected while it exists are not protected afterwards.
class InputScope {
 public:
  InputScope();
  InputScope(const InputScope&) = delete;
  ~InputScope();

 private:
  std::set<Path> before_;
};

}  // namespace slipway
