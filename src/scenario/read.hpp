// Text to scenario: phases 1 and 2 of the page's section 4 (syntax, then the structure of every object).
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
  // Of unknown keys, duplicate keys, comments and trailing commas: a warning in `run`, an error in `check` and with
  // `--strict` (decisions 8 and 20).
  Severity leniency = Severity::Warning;
};

// Nothing when the text is not JSON or its root is no scenario. Else all objects that are sound: one with errors is
// reported and left out (`left_out`), and a caller must look at the diagnostics before it runs anything.
std::optional<Scenario> read_scenario(SourcePtr source, const Path& directory, const ReadOptions& options,
                                      Diagnostics& diagnostics);

}  // namespace slipway::scenario
