// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a row of a conformance run is asked for, and what came out of its cases.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "reference/tensor.hpp"

namespace slipway::conformance {

// Sample: a few cases of each row, chosen evenly. Whole: all of them.
enum class Extent : std::uint8_t { Sample, Whole };

struct RowRequest {
  std::string name;  // of row_names
  Extent extent = Extent::Sample;
  std::uint64_t seed = 1;  // the first seed of random cases
  // Whether cases of one operator are computed as one graph, which saves time. A driver's own graphs are not.
  bool together = true;
};

// The first case that failed, as small as it could be made.
struct FailedCase {
  std::string name, why;
  std::string graph;                      // as text (tosa/text.hpp)
  std::vector<reference::Tensor> inputs;  // of the graph
};

struct RowOutcome {
  std::uint64_t passed = 0, failed = 0, unsupported = 0;
  std::map<std::string, std::uint64_t> lacks;  // what the device lacks: how many cases need it
  double of_bound = 0;                         // the largest error of a case that passed, in units of its bound
  std::string nearest;                         // that case
  std::optional<FailedCase> first;
};

}  // namespace slipway::conformance
