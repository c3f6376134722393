// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Floats of 16 and 8 bits that few devices have (bfloat16, e4m3, e5m2), as unsigned integers with the same bits.
//
// Shaders only move such numbers about and convert them (SPV_KHR_bfloat16, SPV_EXT_float8), so that conversions alone
// need code: functions at the end of the module, exact, and the same on every device. Rounding is to nearest, ties to
// even; what is too large becomes infinity, in e4m3 NaN, or the largest number where the conversion has
// SaturatedToLargestFloat8NormalConversionEXT.
#pragma once

#include "base/diagnostic.hpp"
#include "spirv/module.hpp"

namespace slipway::spirv {

// Whether a module has such types.
bool has_small_floats(const Module& module);

// Errors: unsupported, for operations other than copies and conversions: dot products and matrices of them, conversions
// from 64 bits; file-format.
Result<Words> emulate_small_floats(const Module& module);

}  // namespace slipway::spirv
