// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "launch/execute/host_run.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "base/format.hpp"
#include "base/interrupt.hpp"
#include "launch/execute/host_prepared.hpp"
#include "launch/execute/output_proof.hpp"
#include "launch/report/graph_dumps.hpp"
#include "launch/report/results.hpp"

namespace slipway::launch {
namespace {

class HostRun {
 public:
  HostRun(const Plan& plan, RunOptions options, const Log& log) : plan_(plan), options_(std::move(options)), log_(log) {
    if (options_.dry_run) options_.repeat = 1;
    report_.iterations = options_.repeat;
  }

  Result<Report> run(const std::string& device) {
    report_.device = device;
    report_.counters = std::move(options_.counters);
    report_.counters.insert(report_.counters.end(), plan_.preparation.begin(), plan_.preparation.end());
    SLIPWAY_TRY_VOID(open(options_.profile_path, "profiling data", profile_file_));
    SLIPWAY_TRY_VOID(open(options_.perf_counters_path, "perf counters", counters_file_));
    log_.info(formatted("Setup resources, count: {}", plan_.resources.size()));
    SLIPWAY_TRY(prepared_, prepare_on_host(plan_, report_.counters));
    if (options_.prove_outputs && !options_.dry_run) proof_.emplace(plan_, options_.repeat);
    Result<> done;
    std::uint32_t i = 0;
    for (; i < options_.repeat && done && !is_interrupted() && !options_.dry_run; ++i) {
      for (const GraphDispatch& graph : plan_.graphs)
        report_.profile.memory.push_back({graph.name, graph.session_size, i});
      if (proof_ && i == 0) done = proof_->fill(proof_steps());
      if (proof_ && i == 1) done = proof_->fill_again(proof_steps());
      if (done) done = iterate(i + 1);
    }
    if (!options_.dry_run) SLIPWAY_TRY_VOID(end_of_iterations(std::move(done), i, options_.repeat, report_));
    SLIPWAY_TRY_VOID(store(profile_file_, write_profile(report_.profile), "Profiling data stored"));
    if (!options_.dry_run && !report_.is_interrupted) {
      SLIPWAY_TRY_VOID(store());
      log_.info("Results stored");
      SLIPWAY_TRY_VOID(dump_graphs(plan_, {options_.session_memory_directory, options_.graph_profile_directory},
                                   report_.profile, log_));
    }
    SLIPWAY_TRY_VOID(store(counters_file_, write_perf_counters(report_.counters), "Performance stats stored"));
    return std::move(report_);
  }

 private:
  Result<> iterate(std::uint32_t number) {
    const ScopedTimer timer(report_.counters, CounterCategory::RunScenario,
                            formatted("Submit Commands. Iteration: {}", number));
    if (number == 1) report_.profile.started = HostClock::now();
    return prepared_->iterate({.number = number,
                               .time_out = options_.time_out,
                               .timed = options_.timestamps,
                               .log = &log_,
                               .calls = &report_.profile.calls});
  }

  Result<> store() {
    const ScopedTimer timer(report_.counters, CounterCategory::SaveResults, "Save Resources");
    Readback results = readback();
    if (proof_) SLIPWAY_TRY_VOID(proof_->check(results, proof_steps()));
    std::vector<Diagnostic> unwritten = proof_ ? proof_->unwritten() : std::vector<Diagnostic>();
    if (!unwritten.empty() && proof_->has_patterns()) {
      // What is not written is zeros, and so are results that a function computes from it.
      PerfCounters ignored;
      SLIPWAY_TRY(prepared_, prepare_on_host(plan_, ignored));
      for (std::uint32_t i = 0; i < options_.repeat; ++i) SLIPWAY_TRY_VOID(run_once());
      results = readback();
    }
    for (Diagnostic& problem : unwritten) {
      problem.severity = options_.unwritten;
      report_.diagnostics.push_back(std::move(problem));
    }
    return store_results(plan_, results, options_.failure_dump, report_);
  }

  Result<> run_once() { return prepared_->iterate({.time_out = options_.time_out}); }

  ProofSteps proof_steps() {
    return {.write = [this](ResourceIndex output, Bytes bytes) -> Result<> {
              std::ranges::copy(bytes, prepared_->bytes(output).begin());
              return {};
            },
            .read = [this](const std::set<ResourceIndex>&) -> Result<Readback> { return readback(); },
            .run = [this] { return run_once(); }};
  }

  Readback readback() const {
    std::map<ResourceIndex, Bytes> all;
    for (ResourceIndex i = 0; i < plan_.resources.size(); ++i) all.emplace(i, prepared_->bytes(i));
    return Readback(std::move(all));
  }

  Result<> open(const Path& path, std::string_view what, std::optional<OutputFile>& file) const {
    if (path.empty()) return {};
    Result<OutputFile> created = OutputFile::create(path);
    if (!created) {
      return fail(Diagnostic{.kind = DiagnosticKind::FileUnwritable,
                             .message = formatted("Unable to open {} file for writing {}", what, path.string()),
                             .location = SourceLocation::in_file(path.string())}
                      .note(created.error().front().message));
    }
    file.emplace(std::move(*created));
    return {};
  }

  Result<> store(std::optional<OutputFile>& file, const std::string& text, std::string_view line) const {
    if (!file) return {};
    return file->write(text).and_then([&] { return file->commit(); }).transform([&] { log_.info(line); });
  }

  const Plan& plan_;
  RunOptions options_;
  const Log& log_;
  Report report_;
  std::optional<OutputFile> profile_file_, counters_file_;
  std::optional<HostPrepared> prepared_;
  std::optional<PlanProof> proof_;
};

}  // namespace

std::string why_not_on_host(const Plan& plan) {
  for (const Resource& resource : plan.resources) {
    const auto* buffer = std::get_if<Buffer>(&resource.kind);
    if (!buffer) return formatted("`{}` is an image", resource.name);
    if (buffer->rows) return formatted("`{}` sees the texels of an image", resource.name);
    if (buffer->external) return formatted("`{}` is a buffer of a device", resource.name);
  }
  for (std::size_t i = 0; i < plan.steps.size(); ++i) {
    const Step& step = plan.steps[i];
    if (std::holds_alternative<Draw>(step.action)) return formatted("the step `{}` draws", step.name);
    if (std::holds_alternative<Dispatch>(step.action)) return formatted("the step `{}` is a shader", step.name);
  }
  return {};
}

Result<Report> run_on_host(const Plan& plan, const std::string& device, RunOptions options, const Log& log) {
  return HostRun(plan, std::move(options), log).run(device);
}

}  // namespace slipway::launch
