// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Runs scenario files one after another on one device; shared by `slipway run` and the drop-in name.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/log.hpp"
#include "cli/run/job.hpp"
#include "cli/scenario/options.hpp"
#include "launch/report/report.hpp"
#include "scenario/load.hpp"

namespace slipway::launch {
class Executor;
struct ExecutorRequest;
}  // namespace slipway::launch

namespace slipway::cli {

// `file` may be `-`.
scenario::Loaded load_file(const std::string& file, const scenario::ScenarioOptions& settings,
                           Diagnostics& diagnostics);

// What scenarios with these options ask of their executor. With `confine`, and on drivers for CPUs, accesses to memory
// are checked: there a wrong one could change memory of the program.
launch::ExecutorRequest executor_request(const ScenarioRunOptions& options);

// What the scenarios of one call share: options, log, cache and device. It outlives their jobs.
class ScenarioRunner {
 public:
  // Starts to open the device in the background, unless --explain is given without --device.
  ScenarioRunner(const ScenarioRunOptions& options, Log log, Cache cache);

  const ScenarioRunOptions& options() const { return options_; }
  scenario::Loaded load(const std::string& file, Diagnostics& diagnostics);
  // `progress`: of pipelines.
  std::optional<launch::Report> run(const std::string& file, const scenario::Loaded& loaded,
                                    const ItemProgress& progress, Diagnostics& diagnostics);
  // Adds the messages of layers.
  void add_messages(Diagnostics& diagnostics);

 private:
  launch::RunOptions options_for(const std::string& file) const;
  model::GraphOptions target(Diagnostics& diagnostics) const;

  const ScenarioRunOptions& options_;
  Log log_;
  Cache cache_;
  std::shared_ptr<launch::Executor> executor_;
};

// One scenario file.
class ScenarioJob : public Job {
 public:
  ScenarioJob(ScenarioRunner& runner, std::string file) : runner_(runner), file_(std::move(file)) {}

  const std::string& file() const override { return file_; }
  bool load() override;
  void explain() override;
  void run() override;
  void close() override;
  std::vector<Path> outputs() const override;
  std::string outcome(int status) override;
  std::vector<Diagnostic> all_diagnostics() const override { return result().all_diagnostics(); }

  std::vector<RunReportEntry> report() const override;

  launch::FileReport result() const { return {file_, diagnostics_.all(), report_}; }

 private:
  ScenarioRunner& runner_;
  std::string file_;
  scenario::Loaded loaded_;
  std::optional<launch::Report> report_;
};

}  // namespace slipway::cli
