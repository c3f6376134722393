// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A form of a module that does not depend on the order in which its builder was called.
//
// Compilers evaluate the arguments of a call in the order they like: `sum(product(a, b), product(c, d))` emits one or
// the other product first. So builds for x86-64 and AArch64 make modules with other ids and another order of the same
// instructions. Modules with equal forms compute the same; equal modules have equal forms.
//
//   normal_form(of_this_build) == normal_form(of_the_other_build)
#pragma once

#include "spirv/module.hpp"

namespace slipway::spirv {

// Words that are not a module. What changes memory or control keeps its order; everything else is where it is first
// needed. Instructions whose results nothing needs, and names, are left out. A module with several entry points, or
// annotations that have ids, has its own words as its form.
Words normal_form(const Module& module);

}  // namespace slipway::spirv
