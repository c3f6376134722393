// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How much of the suites of TOSA operators a test runs: a sample by default, everything with SLIPWAY_TOSA_SUITE=all in
// the environment, and one part of several processes with SLIPWAY_TOSA_PART.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <stdexcept>
#include <string_view>

namespace slipway::testing {

inline bool whole_suite() {
  const char* const wish = std::getenv("SLIPWAY_TOSA_SUITE");
  return wish && std::string_view(wish) == "all";
}

// A number from the environment, or a default.
inline std::uint64_t number_of(const char* variable, std::uint64_t otherwise) {
  const char* const text = std::getenv(variable);
  return text ? std::strtoull(text, nullptr, 0) : otherwise;
}

// The part of a suite that this process runs: SLIPWAY_TOSA_PART=3/16 is the fourth of 16.
struct Part {
  std::uint64_t number = 0, of = 1;
  bool has(std::uint64_t item) const { return item % of == number; }
};
inline Part part() {
  const char* const text = std::getenv("SLIPWAY_TOSA_PART");
  if (!text) return {};
  char* rest = nullptr;
  Part part{.number = std::strtoull(text, &rest, 10)};
  part.of = *rest == '/' ? std::strtoull(rest + 1, nullptr, 10) : 0;
  if (part.of <= part.number) throw std::runtime_error("SLIPWAY_TOSA_PART must be like 3/16");
  return part;
}

}  // namespace slipway::testing
