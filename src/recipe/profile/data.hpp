// The bytes that profiles put into buffers and compare them with (recipe page 3.5). Pure functions.
#pragma once

#include <cstdint>
#include <expected>
#include <string>
#include <vector>

#include "base/bytes.hpp"
#include "recipe/model.hpp"

namespace slipway::recipe {

// What `init` is made from, besides itself.
struct InitSource {
  Bytes file;                   // the whole file of a file form
  std::string_view buffer;      // its name, which random data depend on
  std::uint64_t seed = 0;       // of the run, when the init has none
  std::uint64_t iteration = 0;  // of a `reinit`
};

// Fills [begin, end) of the buffer and zeros the rest. The ranges have been checked.
void initialize(const Init& init, const InitSource& source, MutableBytes buffer);

// Which bytes of a buffer are compared with which of the golden data, or the text of the problem:
// `Size mismatch during validation`.
struct GoldenRange {
  std::uint64_t buffer_begin = 0;
  std::uint64_t golden_begin = 0;  // in the whole golden data, behind `skip`
  std::uint64_t size = 0;
};
std::expected<GoldenRange, std::string> golden_range(const Validate& validate, std::uint64_t buffer_size,
                                                     std::uint64_t golden_size);

struct ValidationResult {
  std::string buffer;
  std::uint64_t mismatches = 0;
  std::uint64_t first = 0;            // index of the first one, in bytes or elements of the buffer
  std::vector<std::string> examples;  // at most ten lines: gold[i] = X does not match bo value in bo Y
};
// The range is that of `golden_range`.
ValidationResult compare_golden(const Validate& validate, std::string_view buffer, Bytes data, Bytes golden,
                                const GoldenRange& range);

}  // namespace slipway::recipe
