// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Arithmetic of 64-bit integers on devices without them: by two ints. Results are those of 64-bit integers.
#pragma once

#include "lower/kernel/kernel.hpp"

namespace slipway::lower {

struct LongParts {
  Value low, high;  // ints
};

LongParts add_longs(Kernel& k, LongParts a, LongParts b);
LongParts subtract_longs(Kernel& k, LongParts a, LongParts b);
LongParts multiply_longs(Kernel& k, LongParts a, LongParts b);
// Of values that are not negative.
LongParts divide_longs(Kernel& k, LongParts a, LongParts b);
LongParts shift_long_left(Kernel& k, LongParts a, Value bits);  // by 0 to 63
LongParts shift_long_right(Kernel& k, LongParts a, Value bits, bool arithmetic);
Value is_less(Kernel& k, LongParts a, LongParts b, bool is_unsigned);

}  // namespace slipway::lower
