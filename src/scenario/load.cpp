// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "scenario/load.hpp"

#include "executors/vulkan/device_opening.hpp"
#include "executors/vulkan/executor.hpp"
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
  auto unused = check_scenario(*loaded.scenario, options, diagnostics);
  if (options.checking) unused.clear();  // everything is checked
  if (options.depth == Depth::References) return loaded;
  loaded.plan = plan_scenario(*loaded.scenario, options, diagnostics, unused);
  if (loaded.plan) diagnostics.add(launch::check_hazards(*loaded.plan).release());
  return loaded;
}

void check_device(const Loaded& loaded, const vk::Needs& needs, const vk::Snapshot& device, Diagnostics& diagnostics) {
  const Requirements& requirements = loaded.scenario->requirements;
  for (const std::string& line : check_requires(requirements, device)) {
    diagnostics.error(DiagnosticKind::DeviceLacks, requirements.at.location(), line);
  }
  if (loaded.emulation == Emulation::Never) model::refuse_emulation(*loaded.plan, device, diagnostics);
  diagnostics.add(launch::check_device(*loaded.plan, needs, device).release());
}

std::optional<launch::Report> run(const Loaded& loaded, launch::DeviceOpening& opening, launch::RunOptions options,
                                  const Log& log, Diagnostics& diagnostics) {
  const auto snapshot = diagnostics.take(opening.snapshot());
  if (!snapshot) return std::nullopt;
  vk::Needs needs = launch::needs_of(*loaded.plan);
  check_device(loaded, needs, **snapshot, diagnostics);
  if (diagnostics.has_errors()) return std::nullopt;
  const auto device = diagnostics.take(opening.get(std::move(needs)));
  if (!device) return std::nullopt;
  return diagnostics.take(launch::run(*loaded.plan, launch::VulkanExecutor(**device), std::move(options), log));
}

}  // namespace slipway::scenario
