// Functions of 32-bit floats within TOSA's bounds on every Vulkan device (TOSA page 5.2, 5.4, 10).
//
// Vulkan promises little about its own functions: most of these are made of additions and multiplications, which it
// promises to round correctly, and of bits. The polynomials were fitted for this project; their own errors are below
// 2^-25.
#pragma once

#include "lower/kernel/kernel.hpp"

namespace slipway::lower {

Value exp(Kernel& kernel, Value x);
Value log(Kernel& kernel, Value x);
Value pow(Kernel& kernel, Value x, Value y);  // x >= 0
Value sin(Kernel& kernel, Value x);
Value cos(Kernel& kernel, Value x);
Value sin_of_turn(Kernel& kernel, Value turn);  // sin(2 pi turn), 0 <= turn < 2, exact at quarters
Value cos_of_turn(Kernel& kernel, Value turn);
Value tanh(Kernel& kernel, Value x);
Value sigmoid(Kernel& kernel, Value x);
Value erf(Kernel& kernel, Value x);
// a / b, next to the nearest float where that is neither very large nor very small.
Value quotient(Kernel& kernel, Value a, Value b);
Value reciprocal(Kernel& kernel, Value x);  // the nearest float
Value rsqrt(Kernel& kernel, Value x);
Value ceil(Kernel& kernel, Value x);
Value floor(Kernel& kernel, Value x);

}  // namespace slipway::lower
