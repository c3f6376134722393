// Runs scenario files one after the other on one device: what `slipway run` and the drop-in name have in common.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/log.hpp"
#include "cli/device_session.hpp"
#include "cli/run_options.hpp"
#include "launch/report/report.hpp"
#include "scenario/load.hpp"

namespace slipway::cli {

// `file` may be `-`.
scenario::Loaded load_file(const std::string& file, const scenario::ScenarioOptions& settings,
                           Diagnostics& diagnostics);

class Runner {
 public:
  // Begins to open the device in the background, unless the plan alone is asked for, and that for no device.
  Runner(const RunSettings& settings, Log log, Cache cache);

  // Loads, checks and runs one file. What was found is in the result; nothing is printed but log lines and, with
  // --explain, the plan.
  launch::FileReport run(const std::string& file);

 private:
  launch::RunOptions options_for(const std::string& file) const;
  std::optional<launch::Report> run_plan(const std::string& file, const scenario::Loaded& loaded,
                                         Diagnostics& diagnostics);
  lower::DeviceFacts device_facts(Diagnostics& diagnostics);
  const gpu::Snapshot* native_device();

  const RunSettings& settings_;
  Log log_;
  Cache cache_;
  std::optional<DeviceSession> device_;
};

// All problems of all files, strictness applied.
std::vector<Diagnostic> all_diagnostics(const std::vector<launch::FileReport>& files);
int overall_status(const std::vector<launch::FileReport>& files);

}  // namespace slipway::cli
