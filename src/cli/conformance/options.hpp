// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The command line of `slipway conformance`: which rows it runs, on what, and how the run of many cases goes on.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/lab/options.hpp"
#include "conformance/row.hpp"

namespace slipway::cli {

// What a worker needs to run a row.
struct RowOptions : PlannedRunGroup, EngineGroup {
  std::string row;
  bool whole = false, native = false;
  std::uint64_t seed = 1;
  std::string failures;  // a directory; empty: no files

  conformance::Extent extent() const { return whole ? conformance::Extent::Whole : conformance::Extent::Sample; }
};

// Returns an exit status if the worker's arguments are not valid.
std::optional<int> parse_row_options(const Arguments& arguments, RowOptions& options);

struct ConformanceOptions {
  RowOptions rows;  // without the row
  std::vector<std::string> wanted;
  bool list = false, layer = false;
  LabOptions lab;
};

std::optional<int> parse_conformance_options(const Arguments& arguments, ConformanceOptions& options);

// The arguments of the workers.
std::vector<std::string> worker_words(const ConformanceOptions& options);

}  // namespace slipway::cli
