// Floats of 16 and 8 bits, by their bits: exact, and the same on every device.
//
// Rounding is to nearest, ties to even; what is too large becomes infinity, in e4m3 NaN (TOSA page 3.6).
#pragma once

#include "lower/kernel/kernel.hpp"

namespace slipway::lower {

// From the bits in the low half of an int, whose upper bits do not matter.
Value float_from_f16(Kernel& kernel, Value bits);
Value float_from_e4m3(Kernel& kernel, Value bits);

// To the bits, in the low part of an int.
Value f16_bits(Kernel& kernel, Value real);
Value bf16_bits(Kernel& kernel, Value real);
Value e4m3_bits(Kernel& kernel, Value real);
Value e5m2_bits(Kernel& kernel, Value real);

// The nearest value of an element type, as a float again: the type itself for f32.
Value rounded(Kernel& kernel, ElementType type, Value real);

Value is_nan(Kernel& kernel, Value real);

}  // namespace slipway::lower
