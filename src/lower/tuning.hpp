// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tuning parameters of kernels: they decide how something is computed, not what. The best ones can only be measured.
// Measurements of a device are a table; where the table has no entry, an estimate decides.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace slipway::lower {

// By name, `rows: 12`.
using Parameters = std::map<std::string, std::int64_t, std::less<>>;

// By key: a text with everything that the time of a kernel depends on. Without parameters: the estimate was the best of
// all that was measured.
using Tuning = std::map<std::string, Parameters, std::less<>>;

// The entry of a key; otherwise that of the most similar kernel, whose key has the same words and numbers whose ratios
// have a product of at most 2. Null if the table has no such kernel. The parameters are
// not always possible for the other kernel.
const Parameters* find_parameters(const Tuning& tuning, std::string_view what);

// A kernel of a program whose parameters could be chosen.
struct TuningSite {
  std::string what;                    // the key in tables
  std::vector<Parameters> candidates;  // the estimated best one first
  std::uint32_t node = 0;              // index in the graph, of the node whose kernels have them
};

}  // namespace slipway::lower
