// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Functions of 32-bit floats within TOSA's error bounds on every Vulkan device (docs/spec/tosa.md#activations,
// docs/spec/tosa.md#elementwise-unary, docs/spec/tosa.md#vulkan-lowering).
//
// Vulkan guarantees little about its own functions. Most of these consist of additions and multiplications, which it
// guarantees to round correctly, and of bit operations. The polynomials were fitted for this project; their own errors
// are below 2^-25, unless a function is for results of 16 bits.
#pragma once

#include "lower/kernel/kernel.hpp"

namespace slipway::lower {

Value exp(Kernel& kernel, Value x);
// exp(x) for results of 16 bits: Vulkan guarantees its own function to 3 + 2 |x| units of 32 bits.
Value short_exp(Kernel& kernel, Value x);
Value log(Kernel& kernel, Value x);
Value pow(Kernel& kernel, Value x, Value y);  // x >= 0
Value sin(Kernel& kernel, Value x);
Value cos(Kernel& kernel, Value x);
Value sin_2pi(Kernel& kernel, Value x);  // sin(2 pi x), 0 <= x < 2, exact at multiples of 1/4
Value cos_2pi(Kernel& kernel, Value x);
Value tanh(Kernel& kernel, Value x);
Value sigmoid(Kernel& kernel, Value x);
Value erf(Kernel& kernel, Value x);
Value short_erf(Kernel& kernel, Value x);  // for results of 16 bits: its relative error is at most 0.00015
// a / b, next to the nearest float where that is neither very large nor very small.
Value quotient(Kernel& kernel, Value a, Value b);
Value reciprocal(Kernel& kernel, Value x);  // the nearest float
Value rsqrt(Kernel& kernel, Value x);
Value ceil(Kernel& kernel, Value x);
Value floor(Kernel& kernel, Value x);

}  // namespace slipway::lower
