// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "conformance/scenario_case.hpp"

#include "launch/run.hpp"
#include "model/graph_target.hpp"
#include "scenario/load.hpp"

namespace slipway::conformance {

Result<> run_scenario(const std::string& name, std::string_view text, RunTarget& target, RowOutcome& outcome) {
  const model::GraphDeviceOptions& options = target.options();
  Diagnostics diagnostics;
  const scenario::Loaded loaded = scenario::load(
      make_source(name + ".json", std::string(text)), Path("."),
      {.cache = options.cache,
       .emulation = options.emulates ? scenario::Emulation::Auto : scenario::Emulation::Never,
       .target =
           [&] {
             auto made = model::graph_options(options.executor.get(), options.choices, options.cache, diagnostics);
             return made ? std::move(*made) : model::GraphOptions();
           }},
      diagnostics);
  bool compared = false;
  if (loaded.plan && !diagnostics.has_errors()) {
    launch::RunOptions how{.cache = options.cache};
    how.time_out = options.time_out;
    if (auto report = scenario::run(loaded, target.executor(), std::move(how), {}, diagnostics)) {
      compared = !report->expectations.empty();
      for (Diagnostic& problem : report->diagnostics) diagnostics.add(std::move(problem));
    }
  }
  Failure errors;
  for (const Diagnostic& problem : diagnostics.all()) {
    if (problem.severity == Severity::Error) errors.push_back(problem);
  }
  FailedCase made{
      .name = name, .why = "nothing was compared", .graph = {}, .inputs = {}, .scenario = std::string(text)};
  if (!errors.empty()) return outcome.refuse(std::move(errors), std::move(made));
  if (compared)
    ++outcome.passed;
  else
    outcome.fail(std::move(made));
  return {};
}

}  // namespace slipway::conformance
