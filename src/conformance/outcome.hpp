// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a row of a conformance run is asked for, and what came out of its cases.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/diagnostic.hpp"
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
  std::string graph;                      // as text (tosa/text.hpp); empty: not a graph
  std::vector<reference::Tensor> inputs;  // of the graph
  std::string scenario;                   // as JSON; empty: not a scenario
};

// Whether no further case would run.
bool ends_the_run(const Failure& failure);

struct RowOutcome {
  std::uint64_t passed = 0, failed = 0, unsupported = 0;
  std::map<std::string, std::uint64_t> lacks;  // what the device lacks: how many cases need it
  double of_bound = 0;                         // the largest error of a case that passed, in units of its bound
  std::string nearest;                         // that case
  std::optional<FailedCase> first;

  void fail(FailedCase made, std::uint64_t cases = 1) {
    failed += cases;
    if (!first) first = std::move(made);
  }
  void lack(const std::string& what, std::uint64_t cases = 1) {
    unsupported += cases;
    lacks[what] += cases;
  }
  // Counts cases that did not run: what the device lacks is unsupported, anything else is wrong. Errors: those after
  // which no further case would run.
  Result<> refuse(Failure why, FailedCase made, std::uint64_t cases = 1);
};

}  // namespace slipway::conformance
