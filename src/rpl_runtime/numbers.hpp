// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Numbers in texts, without the locale of the application. Each function takes a whole text and returns false for
// others. They are static, because a library for C exports its interface only.
#pragma once

#include <string.h>

#include <cstdint>

namespace slipway::rpl_runtime {

static inline bool is_digit(char letter) { return letter >= '0' && letter <= '9'; }

// Digits up to `limit`; moves `text` past them.
static inline bool read_digits(const char*& text, std::uint64_t limit, std::uint64_t& value) {
  if (!is_digit(*text)) return false;
  for (value = 0; is_digit(*text); ++text) {
    value = value * 10 + static_cast<std::uint64_t>(*text - '0');
    if (value > limit) return false;
  }
  return true;
}

static inline bool read_integer(const char* text, bool is_signed, std::uint32_t& bits) {
  const bool negative = is_signed && *text == '-';
  if (is_signed && (*text == '-' || *text == '+')) ++text;
  std::uint64_t value = 0;
  if (!read_digits(text, !is_signed ? 0xFFFFFFFFu : negative ? 0x80000000u : 0x7FFFFFFFu, value)) return false;
  if (*text == (is_signed ? 's' : 'u')) ++text;
  bits = static_cast<std::uint32_t>(negative ? 0 - value : value);
  return *text == 0;
}

// Powers of 10 up to 22 are exact in a double, and so are numbers of 15 digits: what the compiler writes has at most 9.
static inline double times_power(double value, int exponent) {
  for (bool down = exponent < 0; exponent != 0;) {
    const int size = down ? -exponent : exponent;
    const int step = size < 22 ? size : 22;
    double power = 1;
    for (int i = 0; i < step; ++i) power *= 10;
    value = down ? value / power : value * power;
    exponent += down ? step : -step;
  }
  return value;
}

static inline bool read_float(const char* text, std::uint32_t& bits) {
  const bool negative = *text == '-';
  if (*text == '-' || *text == '+') ++text;
  double mantissa = 0;
  int exponent = 0, digits = 0;
  bool any = false, fraction = false, is_more = false;
  for (;; ++text) {
    if (*text == '.' && !fraction) {
      fraction = true;
      continue;
    }
    if (!is_digit(*text)) break;
    any = true;
    const bool is_dropped = digits == 15;
    if (!is_dropped) {
      if (mantissa != 0 || *text != '0') ++digits;
      mantissa = mantissa * 10 + (*text - '0');
    }
    if (is_dropped && *text != '0') is_more = true;
    if (fraction != is_dropped) exponent += fraction ? -1 : 1;
  }
  if (!any) return false;
  if (is_more) mantissa += 0.5;  // exact; for the side of the middle between two floats on which the number is
  if (*text == 'e' || *text == 'E') {
    ++text;
    const bool down = *text == '-';
    if (*text == '-' || *text == '+') ++text;
    std::uint64_t value = 0;
    if (!read_digits(text, 999, value)) return false;
    exponent += down ? -static_cast<int>(value) : static_cast<int>(value);
  }
  if (*text == 'f') ++text;
  if (*text != 0) return false;
  constexpr double kMaxFloat = 3.4028235677973366e38;  // numbers from here on are rounded to infinity
  const double size = mantissa == 0   ? 0
                      : exponent > 60 ? kMaxFloat
                                      : times_power(mantissa, exponent < -80 ? -80 : exponent);
  if (size >= kMaxFloat) return false;
  const auto value = static_cast<float>(negative ? -size : size);
  memcpy(&bits, &value, sizeof bits);
  return true;
}

}  // namespace slipway::rpl_runtime
