// Parameters of kernels that say how something is computed and not what: which are best, only measuring tells. What was
// measured on a device is a table; where it has nothing, an estimate decides.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace slipway::lower {

// By their names, `rows: 12`.
using Parameters = std::map<std::string, std::int64_t, std::less<>>;

// By what they are for: a text with all that a kernel's time depends on.
using Tuning = std::map<std::string, Parameters, std::less<>>;

// A place in a program where there was something to choose.
struct TuningSite {
  std::string what;                    // the key in tables
  std::vector<Parameters> candidates;  // the estimate's choice first
  std::uint32_t node = 0;              // of the graph, whose kernels have them
};

}  // namespace slipway::lower
