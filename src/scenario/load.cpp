// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "scenario/load.hpp"

#include "launch/check/check_device.hpp"
#include "launch/check/hazards.hpp"
#include "launch/run.hpp"
#include "model/native.hpp"
#include "scenario/check.hpp"
#include "scenario/plan.hpp"
#include "scenario/read.hpp"

namespace slipway::scenario {

Loaded load(const SourcePtr& source, const Path& directory, const ScenarioOptions& options, Diagnostics& diagnostics) {
  Loaded loaded{.emulation = options.emulation};
  const Severity leniency = options.checking ? Severity::Error : Severity::Warning;
  loaded.scenario = read_scenario(source, directory, {.leniency = leniency}, diagnostics);
  if (!loaded.scenario || options.depth == Depth::Structure) return loaded;
  loaded.scenario->cast_arrays = options.cast;
  loaded.scenario->confine = options.confine;
  auto unused = check_scenario(*loaded.scenario, options, diagnostics);
  if (options.checking) unused.clear();  // everything is checked
  if (options.depth == Depth::References) return loaded;
  loaded.plan = plan_scenario(*loaded.scenario, options, diagnostics, unused);
  if (loaded.plan) diagnostics.add(launch::check_hazards(*loaded.plan).release());
  return loaded;
}

namespace {

void check_requirements(const Loaded& loaded, const vk::Snapshot& device, Diagnostics& diagnostics) {
  const Requirements& requirements = loaded.scenario->requirements;
  for (const std::string& line : check_requires(requirements, device)) {
    diagnostics.error(DiagnosticKind::DeviceLacks, requirements.at.location(), line);
  }
  if (loaded.emulation == Emulation::Never) model::refuse_emulation(*loaded.plan, device, diagnostics);
}

}  // namespace

void check_device(const Loaded& loaded, const vk::Snapshot& device, Diagnostics& diagnostics) {
  check_requirements(loaded, device, diagnostics);
  diagnostics.add(launch::check_device(*loaded.plan, launch::needs_of(*loaded.plan), device).release());
}

std::optional<launch::Report> run(const Loaded& loaded, launch::Executor& executor, launch::RunOptions options,
                                  const Log& log, Diagnostics& diagnostics) {
  const auto info = diagnostics.take(executor.info());
  if (!info) return std::nullopt;
  // An executor that is not a Vulkan device has nothing that can be required.
  const vk::Snapshot none{.name = info->name};
  check_requirements(loaded, info->vulkan ? *info->vulkan : none, diagnostics);
  diagnostics.add(executor.check(*loaded.plan).release());
  if (diagnostics.has_errors()) return std::nullopt;
  return diagnostics.take(launch::run(*loaded.plan, executor, std::move(options), log));
}

}  // namespace slipway::scenario
