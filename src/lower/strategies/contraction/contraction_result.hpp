// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The epilogue of a contraction: from a sum to an element of the result, inside the kernel that made the sum. What is
// fused with the contraction follows.
#pragma once

#include "lower/kernel_builder.hpp"
#include "lower/strategies/contraction/contraction.hpp"

namespace slipway::lower {

// The result of a contraction from its sum, which already has the result's type: with its bias, rounded.
Value result_of_sum(KernelBuilder& builder, const Contraction& c, Value sum, Value channel);

// The same from a float sum of integers, or from an integer where there were too many products for a float.
Value finished_sum(KernelBuilder& builder, const Contraction& c, Value sum, Value channel);

}  // namespace slipway::lower
