// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reads a scenario from text: phases 1 and 2 of docs/spec/scenario.md#phases (syntax, then the structure of every
// object).
//
//   Diagnostics diagnostics;
//   std::optional<Scenario> scenario = read_scenario(*source, path.parent_path(), {}, diagnostics);
//   if (scenario) check_scenario(*scenario, {}, diagnostics);      // goes on after errors in single objects
//   if (diagnostics.has_errors()) ...
#pragma once

#include <optional>

#include "base/diagnostic.hpp"
#include "scenario/model.hpp"

namespace slipway::scenario {

struct ReadOptions {
  // The severity of unknown keys, duplicate keys, comments and trailing commas: a warning in `run`, an error in `check`
  // and with `--strict` (docs/spec/scenario.md#decision-8, docs/spec/scenario.md#decision-20).
  Severity leniency = Severity::Warning;
};

// Empty when the text is not JSON or its root is not a scenario. Otherwise all valid objects: an object with errors is
// reported and left out (`left_out`), so a caller must check the diagnostics before it runs anything.
std::optional<Scenario> read_scenario(SourcePtr source, const Path& directory, const ReadOptions& options,
                                      Diagnostics& diagnostics);

}  // namespace slipway::scenario
