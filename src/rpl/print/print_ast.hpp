// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A parsed program as text: one S-expression for each item, every node with its location
// (docs/spec/rpl.md#printable-steps).
//
//   (module "tinted.rpl"
//     (option @2:1 global tint_mode enum "none" "instance")
//     (constant @4:1 use_tint (== @4:21 (name @4:21 tint_mode) (string @4:34 "instance"))))
#pragma once

#include <string>

#include "rpl/program.hpp"

namespace slipway::rpl {

std::string print_ast(const Program& program);

}  // namespace slipway::rpl
