// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Floats of 16 and 8 bits, computed from their bits: exact, and the same on every device.
//
// Rounding is to nearest, ties to even; values that are too large become infinity, in e4m3
// NaN (docs/spec/tosa.md#float-conversion).
#pragma once

#include "lower/kernel/kernel.hpp"

namespace slipway::lower {

// From the bits in the low part of an int; its upper bits are ignored.
Value float_from_f16(Kernel& kernel, Value bits);
Value float_from_e4m3(Kernel& kernel, Value bits);

// To the bits, in the low part of an int.
Value f16_bits(Kernel& kernel, Value real);
Value bf16_bits(Kernel& kernel, Value real);
Value e4m3_bits(Kernel& kernel, Value real);
Value e5m2_bits(Kernel& kernel, Value real);

// The nearest value of an element type, as a float again; unchanged for f32.
Value rounded(Kernel& kernel, ElementType type, Value real);
// The same, unless the driver removes it (FloatFacts::removes_conversions): cheaper, where the exact value is as good.
Value rounded_or_exact(Kernel& kernel, ElementType type, Value real);

Value is_nan(Kernel& kernel, Value real);
// The same value with the one NaN that outputs have, 0x7fc00000, whose narrower forms are canonical too.
Value with_one_nan(Kernel& kernel, Value real);

}  // namespace slipway::lower
