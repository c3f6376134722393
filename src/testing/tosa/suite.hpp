// How much of the suites of TOSA operators a test runs: a sample in every run of the tests, all of it where the
// environment says SLIPWAY_TOSA_SUITE=all, shared by processes where it says SLIPWAY_TOSA_PART.
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

// A number that the environment may set.
inline std::uint64_t number_of(const char* variable, std::uint64_t otherwise) {
  const char* const text = std::getenv(variable);
  return text ? std::strtoull(text, nullptr, 0) : otherwise;
}

// Which part of a suite this process runs, so that several share the work: SLIPWAY_TOSA_PART=3/16 is the fourth of 16.
struct Part {
  std::uint64_t number = 0, of = 1;
  bool has(std::uint64_t item) const { return item % of == number; }
};
inline Part part() {
  const char* const text = std::getenv("SLIPWAY_TOSA_PART");
  if (!text) return {};
  char* rest = nullptr;
  Part part{.number = std::strtoull(text, &rest, 10)};
  if (*rest != '/' || (part.of = std::strtoull(rest + 1, nullptr, 10)) <= part.number)
    throw std::runtime_error("SLIPWAY_TOSA_PART must be like 3/16");
  return part;
}

}  // namespace slipway::testing
