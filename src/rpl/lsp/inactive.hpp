// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The parts of a program that an assignment of its options switches off.
#pragma once

#include <vector>

#include "rpl/program.hpp"

namespace slipway::rpl::lsp {

// Items, fields, arguments and scopes whose conditional is false, outermost ones only. Conditions that need arithmetic
// count as true: this dims text, and evaluates only flags, comparisons and logic.
std::vector<Range> inactive_ranges(const Program& program, const Assignment& assignment);

}  // namespace slipway::rpl::lsp
