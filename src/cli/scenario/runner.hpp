// Runs scenario files one after another on one device; shared by `slipway run` and the drop-in name.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/log.hpp"
#include "cli/device_session.hpp"
#include "cli/scenario/options.hpp"
#include "launch/report.hpp"
#include "scenario/load.hpp"

namespace slipway::cli {

// `file` may be `-`.
scenario::Loaded load_file(const std::string& file, const scenario::LoadSettings& options, Diagnostics& diagnostics);

class ScenarioRunner {
 public:
  // Starts to open the device in the background, unless --explain is given without --device.
  ScenarioRunner(const ScenarioOptions& options, Log log, Cache cache);

  // Loads, checks and runs one file. The result has the diagnostics; only log lines and, with --explain, the plan are
  // printed.
  launch::FileReport run(const std::string& file);

 private:
  launch::RunOptions options_for(const std::string& file) const;
  std::optional<launch::Report> run_plan(const std::string& file, const scenario::Loaded& loaded,
                                         Diagnostics& diagnostics);
  lower::DeviceFacts device_facts(Diagnostics& diagnostics);
  const gpu::Snapshot* native_device();

  const ScenarioOptions& options_;
  Log log_;
  Cache cache_;
  std::optional<DeviceSession> device_;
};

// The diagnostics of all files; with --strict warnings are errors already.
std::vector<Diagnostic> all_diagnostics(const std::vector<launch::FileReport>& files);
int overall_status(const std::vector<launch::FileReport>& files);

}  // namespace slipway::cli
