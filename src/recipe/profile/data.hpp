// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The initial contents of the buffers of a profile, and the comparison with golden data (docs/spec/recipe.md#profile).
// Pure functions.
#pragma once

#include <cstdint>
#include <expected>
#include <string>
#include <vector>

#include "base/bytes.hpp"
#include "recipe/model.hpp"

namespace slipway::recipe {

// The input of `initialize`, besides the init.
struct InitSource {
  Bytes file;                   // the whole file of a file form
  std::string_view buffer;      // name; random data depend on it
  std::uint64_t seed = 0;       // of the run, for an init without a seed
  std::uint64_t iteration = 0;  // of a `reinit`
};

// Fills [begin, end) of the buffer and zeros the rest. The caller has checked the ranges.
void initialize(const Init& init, const InitSource& source, MutableBytes buffer);

// The bytes of a buffer and of the golden data to compare, or the message of an error
// (`Size mismatch during validation`).
struct GoldenRange {
  std::uint64_t buffer_begin = 0;
  std::uint64_t golden_begin = 0;  // in the golden data, `skip` included
  std::uint64_t size = 0;
};
std::expected<GoldenRange, std::string> golden_range(const Validate& validate, std::uint64_t buffer_size,
                                                     std::uint64_t golden_size);

struct ValidationResult {
  std::string buffer;
  std::uint64_t mismatches = 0;
  std::uint64_t first = 0;            // index of the first mismatch, in bytes or elements of the buffer
  std::vector<std::string> examples;  // at most ten lines: gold[i] = X does not match bo value in bo Y
};
// `range` is from `golden_range`.
ValidationResult compare_golden(const Validate& validate, std::string_view buffer, Bytes data, Bytes golden,
                                const GoldenRange& range);

}  // namespace slipway::recipe
