// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The command line of `slipway conformance`: which rows it runs, on what, and how the run of many cases goes on.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/conformance/row_options.hpp"
#include "cli/lab/options.hpp"

namespace slipway::cli {

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
