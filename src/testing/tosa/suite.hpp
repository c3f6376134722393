// How much of the suites of TOSA operators a test runs: a sample in every run of the tests, all of it where the
// environment says SLIPWAY_TOSA_SUITE=all.
#pragma once

#include <cstdlib>
#include <string_view>

namespace slipway::testing {

inline bool whole_suite() {
  const char* const wish = std::getenv("SLIPWAY_TOSA_SUITE");
  return wish && std::string_view(wish) == "all";
}

// A number that the environment may set.
inline std::uint64_t number_of(const char* variable, std::uint64_t otherwise) {
  const char* const text = std::getenv(variable);
  return text ? std::strtoull(text, nullptr, 0) : otherwise;
}

}  // namespace slipway::testing
