// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lower/tuning.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>
#include <string_view>

namespace slipway::lower {
namespace {

constexpr double kSimilar = 1;  // one number may differ by a factor of 2

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// A number of a key follows a space or another number's `x`, unlike that of a type such as f16.
bool starts_number(std::string_view key, std::size_t at) {
  return is_digit(key[at]) &&
         (at == 0 || key[at - 1] == ' ' || (at >= 2 && key[at - 1] == 'x' && is_digit(key[at - 2])));
}

std::optional<double> take_number(std::string_view key, std::size_t& at) {
  double number = 0;
  const auto [end, error] = std::from_chars(key.data() + at, key.data() + key.size(), number, std::chars_format::fixed);
  if (error != std::errc()) return std::nullopt;
  at = static_cast<std::size_t>(end - key.data());
  return number;
}

// The sum of the logarithms of the ratios of corresponding numbers; none where the texts differ in more than numbers.
std::optional<double> distance(std::string_view a, std::string_view b) {
  double sum = 0;
  std::size_t i = 0, j = 0;
  while (i < a.size() && j < b.size()) {
    if (starts_number(a, i) && starts_number(b, j)) {
      const auto x = take_number(a, i), y = take_number(b, j);
      if (!x || !y || *x <= 0 || *y <= 0) return std::nullopt;
      if (*x != *y) sum += std::abs(std::log2(*x / *y));
    } else if (a[i++] != b[j++]) {
      return std::nullopt;
    }
  }
  if (i < a.size() || j < b.size()) return std::nullopt;
  return sum;
}

}  // namespace

const Parameters* find_parameters(const Tuning& tuning, std::string_view what) {
  if (const auto known = tuning.find(what); known != tuning.end()) return &known->second;
  const Parameters* nearest = nullptr;
  double least = 0;
  for (const auto& [key, parameters] : tuning) {
    const std::optional<double> d = distance(key, what);
    if (!d || *d > kSimilar || (nearest && *d >= least)) continue;
    nearest = &parameters;
    least = *d;
  }
  return nearest;
}

}  // namespace slipway::lower
