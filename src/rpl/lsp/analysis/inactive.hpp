// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The parts of a program that an assignment of its options switches off.
#pragma once

#include <vector>

#include "rpl/program.hpp"
#include "rpl/variants/variants.hpp"

namespace slipway::rpl::lsp {

// Items, fields, arguments and scopes whose conditional is false, outermost ones only. Conditions that need arithmetic
// count as true: this dims text, and evaluates only flags, comparisons and logic.
std::vector<Range> inactive_ranges(const Program& program, const Assignment& assignment);

// What is in both of two lists of separate ranges, in order.
std::vector<Range> common_ranges(const std::vector<Range>& a, const std::vector<Range>& b);

// Those that are inactive in every variant. `leaves`: Variants::leaf_assignments. An option that a variant did not
// read, and that varies, may have any value.
std::vector<Range> unreachable_ranges(const Program& program, const VariantOptions& options,
                                      std::span<const Assignment> leaves);

}  // namespace slipway::rpl::lsp
