// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A model that runs once or often, with all rules of such a run: what the public classes wrap, and the verbs call.
//
//   ModelJob job({.request = {.file = file, .name = "net"}, .executor = executor});
//   if (!job.plan(diagnostics) || !job.check(diagnostics)) return;
//   const auto report = job.run({.repeat = 3}, log, diagnostics);
#pragma once

#include <chrono>
#include <memory>
#include <optional>

#include "base/item_progress.hpp"
#include "base/log.hpp"
#include "base/system/cache.hpp"
#include "base/system/temporary_directory.hpp"
#include "model/graph_target.hpp"
#include "model/standalone/standalone.hpp"

namespace slipway::launch {
class Executor;
class PreparedPlan;
struct ExecutionOptions;
struct Report;
struct RunOptions;
}  // namespace slipway::launch

namespace slipway::model {

class GraphDevice;
struct ModelComparison;
struct Tuned;

struct ModelJobOptions {
  // Without shaders the modules of the model are compiled. Of its graphs only what receives intermediates, and their
  // progress, count. Outputs may go to an archive (.npz) instead of a directory.
  StandaloneOptions request;
  std::shared_ptr<launch::Executor> executor;  // null: the device is unknown, and nothing can run
  GraphChoices graphs;
  bool emulates = true;  // false: graphs and tensors that the driver does not run are errors
  Cache cache;           // of shaders, kernels and tuning tables
};

class ModelJob {
 public:
  explicit ModelJob(ModelJobOptions options) : options_(std::move(options)) {}

  // Chooses what computes the graphs, plans the model and looks for hazards. Returns false after an error: those of
  // compile_modules, graph_options and plan_standalone.
  bool plan(Diagnostics& diagnostics);
  // Whether the executor can run the plan. Errors: no-device, device-lacks, and those of forbidden emulation.
  bool check(Diagnostics& diagnostics) const;

  // The others need a plan that was checked.
  std::optional<launch::Report> run(launch::RunOptions options, const Log& log, Diagnostics& diagnostics) const;
  // Compares outputs of the run, and its kernels if the request has intermediates, with the interpreter or `other`
  // (null: none). The request must have had `values`. What is wrong is an error; the report gets what was compared.
  // Empty after errors of compare_model.
  std::optional<ModelComparison> compare(GraphDevice* other, launch::Report& report, Diagnostics& diagnostics) const;
  // Ready to run often, with the inputs and outputs in memory of the host. The job must live longer.
  Result<std::unique_ptr<launch::PreparedPlan>> prepare(const launch::ExecutionOptions& options,
                                                        ItemProgress progress) const;
  // Keeps the result in the cache. Empty after an error: those of tune().
  std::optional<Tuned> tune(std::optional<std::chrono::milliseconds> limit, ItemProgress progress,
                            Diagnostics& diagnostics) const;

  // A job for a file with the same inputs, on the same executor: they have the values of this job, which were kept, and
  // the values of its resources are kept. It writes no files.
  ModelJob for_same_inputs(std::shared_ptr<const ModelFile> file) const;

  const StandaloneOptions& request() const { return options_.request; }
  const Path& archive() const { return archive_; }  // empty: outputs go to a directory
  const Standalone& planned() const { return *alone_; }
  launch::Executor& executor() const { return *options_.executor; }
  // Whether the interpreter computes graphs of the model.
  bool is_interpreted() const;

 private:
  std::string array_name(const std::string& file_name) const;
  Result<> write_archive(launch::Report& report) const;

  ModelJobOptions options_;
  Path archive_;
  std::optional<TemporaryDirectory> archived_;  // the outputs, if they become an archive
  std::optional<Standalone> alone_;
};

}  // namespace slipway::model
