// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// From the sum of a contraction to an element of its result, inside a kernel.
#pragma once

#include "lower/kernel_builder.hpp"
#include "lower/strategies/contraction.hpp"

namespace slipway::lower {

// The result of a contraction from its sum, which already has the result's type: with its bias, rounded.
Value result_of_sum(KernelBuilder& builder, const Contraction& c, Value sum, Value channel);

// The same from a float sum of integers, or from an integer where there were too many products for a float.
Value finished_sum(KernelBuilder& builder, const Contraction& c, Value sum, Value channel);

}  // namespace slipway::lower
