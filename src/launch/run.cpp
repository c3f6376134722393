// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "launch/run.hpp"

#include "base/format.hpp"
#include "base/interrupt.hpp"
#include "launch/output_proof.hpp"
#include "launch/plan/layouts.hpp"
#include "launch/report/graph_dumps.hpp"
#include "launch/report/results.hpp"

namespace slipway::launch {
namespace {

// A run of a plan, stage by stage.
class Run {
 public:
  Run(const Plan& plan, Executor& executor, ExecutorInfo info, RunOptions options, const Log& log)
      : plan_(plan), executor_(executor), info_(std::move(info)), options_(std::move(options)), log_(log) {
    report_.device = info_.name;
    report_.driver = info_.driver;
    if (options_.dry_run) options_.repeat = 1;
    report_.iterations = options_.repeat;
  }

  // A file that cannot be written is found before anything runs.
  Result<> open_files() {
    return open(options_.profile_path, "profiling data", profile_file_).and_then([&] {
      return open(options_.perf_counters_path, "perf counters", counters_file_);
    });
  }

  Result<> prepare() {
    if (info_.vulkan) log_device(*info_.vulkan);
    PerfCounters counters = std::move(options_.counters);
    counters.insert(counters.end(), plan_.preparation.begin(), plan_.preparation.end());
    SLIPWAY_TRY(prepared_, executor_.prepare(plan_,
                                             {.execution = {.timestamps = options_.timestamps,
                                                            .iteration_times = options_.iteration_times,
                                                            .time_out = options_.time_out},
                                              .pipeline_cache = options_.pipeline_cache,
                                              .cache = options_.cache,
                                              .pipelines = options_.pipelines,
                                              .counters = true,
                                              .progress = options_.progress},
                                             log_, std::move(counters)));
    return {};
  }

  Result<> iterate() {
    if (options_.dry_run) {
      add_session_memory(0);
      return {};
    }
    // A proof may run the plan again, which would print again.
    if (options_.prove_outputs && !prepared_->shows_prints()) proof_.emplace(plan_, options_.repeat);
    Result<> done;
    std::uint32_t i = 0;
    for (; i < options_.repeat && done && !is_interrupted(); ++i) {
      add_session_memory(i);
      if (proof_ && i == 0) done = proof_->fill(*prepared_);
      if (proof_ && i == 1) done = proof_->fill_again(*prepared_);
      if (done) done = prepared_->run_once();
      if (done) done = prepared_->add_times();
    }
    return end_of_iterations(std::move(done), i, options_.repeat, report_);
  }

  Result<> store_measurements() {
    return store(profile_file_, write_profile(prepared_->profile()), "Profiling data stored").and_then([&] {
      return prepared_->store_caches();
    });
  }

  Result<> finish() {
    report_.counters = std::move(prepared_->counters());
    report_.profile = std::move(prepared_->profile());
    Result<> done;
    if (!options_.dry_run && !report_.is_interrupted) {
      done = store().transform([&] { log_.info("Results stored"); });
      done = done.and_then([&] {
        return dump_graphs(plan_, *prepared_, {options_.session_memory_directory, options_.graph_profile_directory},
                           report_.profile, log_);
      });
    }
    return done.and_then(
        [&] { return store(counters_file_, write_perf_counters(report_.counters), "Performance stats stored"); });
  }

  Report report() {
    report_.printed = executor_.take_prints();
    return std::move(report_);
  }

 private:
  void add_session_memory(std::uint32_t iteration) {
    for (const GraphDispatch& graph : plan_.graphs)
      prepared_->profile().memory.push_back({graph.name, prepared_->session_size(graph), iteration});
  }

  Result<> store() {
    const ScopedTimer timer(report_.counters, CounterCategory::SaveResults, "Save Resources");
    SLIPWAY_TRY(Readback results, prepared_->read_back(wanted_results(plan_)));
    if (proof_) SLIPWAY_TRY_VOID(proof_->check(results, *prepared_));
    std::vector<Diagnostic> unwritten = proof_ ? proof_->unwritten() : std::vector<Diagnostic>();
    if (!unwritten.empty() && proof_->has_patterns()) {
      SLIPWAY_TRY_VOID(run_without_patterns());
      SLIPWAY_TRY(results, prepared_->read_back(wanted_results(plan_)));
    }
    for (Diagnostic& problem : unwritten) {
      problem.severity = options_.unwritten;
      report_.diagnostics.push_back(std::move(problem));
    }
    return store_results(plan_, *prepared_, results, options_.failure_dump, report_);
  }

  // What is not written is zeros, and so are results that a command computes from it.
  Result<> run_without_patterns() {
    prepared_.reset();
    SLIPWAY_TRY(prepared_, executor_.prepare(plan_, {.execution = {.time_out = options_.time_out},
                                                     .cache = options_.cache,
                                                     .pipelines = options_.pipelines}));
    for (std::uint32_t i = 0; i < options_.repeat; ++i) SLIPWAY_TRY_VOID(prepared_->run_once());
    return {};
  }

  Result<> open(const Path& path, std::string_view what, std::optional<OutputFile>& file) const {
    if (path.empty()) return {};
    Result<OutputFile> created = OutputFile::create(path);
    if (created) {
      file.emplace(std::move(*created));
      return {};
    }
    return fail(Diagnostic{.kind = DiagnosticKind::FileUnwritable,
                           .message = formatted("Unable to open {} file for writing {}", what, path.string()),
                           .location = SourceLocation::in_file(path.string())}
                    .note(created.error().front().message));
  }

  Result<> store(std::optional<OutputFile>& file, const std::string& text, std::string_view line) const {
    if (!file) return {};
    return file->write(text).and_then([&] { return file->commit(); }).transform([&] { log_.info(line); });
  }

  // docs/spec/scenario.md#log-lines
  void log_device(const vk::Snapshot& snapshot) const {
    log_.info(formatted("Device: {}, Type: {}, Vendor: 0x{:04x}", snapshot.name, vk::name_of(snapshot.type),
                        snapshot.vendor_id));
    std::string line = formatted("Vulkan device shader capabilities: apiVersion={}.{}.{}, driverVersion={}",
                                 snapshot.api.major, snapshot.api.minor, snapshot.api.patch, snapshot.driver_version);
    for (const std::string_view feature : {"shaderInt64", "shaderInt8", "shaderFloat16", "storageBuffer8BitAccess",
                                           "storagePushConstant16", "bufferDeviceAddress"}) {
      line += formatted(", {}={}", feature, snapshot.has_feature(feature));
    }
    log_.info(line);
  }

  const Plan& plan_;
  Executor& executor_;
  const ExecutorInfo info_;
  RunOptions options_;
  const Log& log_;
  Report report_;
  std::optional<OutputFile> profile_file_, counters_file_;
  std::unique_ptr<PreparedPlan> prepared_;
  std::optional<PlanProof> proof_;
};

}  // namespace

Result<Report> run(const Plan& plan, Executor& executor, RunOptions options, const Log& log) {
  SLIPWAY_TRY(ExecutorInfo info, executor.info());
  Run run(plan, executor, std::move(info), std::move(options), log);
  return run.open_files()
      .and_then([&] { return run.prepare(); })
      .and_then([&] { return run.iterate(); })
      .and_then([&] { return run.store_measurements(); })
      .and_then([&] { return run.finish(); })
      .transform([&] { return run.report(); });
}

}  // namespace slipway::launch
