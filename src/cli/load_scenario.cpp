#include "cli/load_scenario.hpp"

#include "launch/hazards.hpp"
#include "scenario/check.hpp"
#include "scenario/plan.hpp"
#include "scenario/read.hpp"

namespace slipway::cli {

Loaded load_scenario(const std::string& file, const LoadSettings& settings, Diagnostics& diagnostics) {
  Loaded loaded;
  const std::optional<SourcePtr> source = diagnostics.take(read_source(file));
  if (!source) return loaded;
  const Path folder = file == "-" ? Path(".") : Path(file).parent_path();
  const Severity leniency = settings.checking ? Severity::Error : Severity::Warning;
  loaded.scenario = scenario::read_scenario(*source, folder, {.leniency = leniency}, diagnostics);
  if (!loaded.scenario || settings.depth == CheckDepth::Syntax) return loaded;
  scenario::check_scenario(*loaded.scenario,
                           {.output = settings.output, .confine = settings.confine, .remarks = settings.checking},
                           diagnostics);
  if (settings.depth == CheckDepth::References) return loaded;
  loaded.plan = scenario::plan_scenario(
      *loaded.scenario, {.output = settings.output, .confine = settings.confine, .cache = settings.cache}, diagnostics);
  if (loaded.plan) diagnostics.add(launch::check_hazards(*loaded.plan).release());
  return loaded;
}

}  // namespace slipway::cli
