// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a worker needs to run a row of `slipway conformance`.
#pragma once

#include <optional>
#include <string>

#include "cli/option_groups.hpp"
#include "conformance/outcome.hpp"

namespace slipway::cli {

struct RowOptions : PlannedRunGroup, EngineGroup {
  std::string row;
  bool whole = false, native = false;
  std::uint64_t seed = 1;
  std::string failures;  // a directory; empty: no files

  conformance::Extent extent() const { return whole ? conformance::Extent::Whole : conformance::Extent::Sample; }
};

// Returns an exit status if the worker's arguments are not valid.
std::optional<int> parse_row_options(const Arguments& arguments, RowOptions& options);

// Those of the verb and of its workers, without the row.
void add_row_options(CommandLine& line, RowOptions& options);

}  // namespace slipway::cli
