// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cli/conformance/job.hpp"

#include <algorithm>

#include "base/format.hpp"
#include "base/system/files.hpp"
#include "cli/conformance/row_options.hpp"
#include "cli/run/run_report.hpp"
#include "conformance/row.hpp"
#include "executors/open.hpp"
#include "launch/run.hpp"
#include "tensor/files/npy.hpp"
#include "tensor/files/npz.hpp"
#include "tosa/data_type.hpp"

namespace slipway::cli {
namespace {

// A graph without a device runs on the CPU.
std::string selector_of(const RowOptions& options) {
  const bool on_host = options.device.empty() && chosen_engine(options, options.device);
  return on_host ? "cpu" : options.device;
}

class RowJob : public Job {
 public:
  // `target`: that of the worker, made once.
  RowJob(std::shared_ptr<const RowOptions> options, std::optional<conformance::RunTarget>& target)
      : options_(std::move(options)), target_(target) {}

  const std::string& file() const override { return options_->row; }

  bool load() override {
    if (target_) return true;
    model::GraphDeviceOptions with{.executor = executors::open_executor({.selector = selector_of(*options_)}),
                                   .choices = graph_choices(*options_, options_->device),
                                   .emulates = !options_->native,
                                   .cache = cache_of(options_->no_cache)};
    if (options_->timeout) with.time_out = launch::time_out_of(*options_->timeout);
    target_.emplace(std::move(with));
    return true;
  }

  void explain() override {}

  void run() override {
    auto outcome = diagnostics_.take(conformance::run_row(
        {.name = options_->row, .extent = options_->extent(), .seed = options_->seed, .together = !options_->native},
        *target_, counted("cases", "running")));
    diagnostics_.add(target_->take_diagnostics().release());
    if (!outcome) return;
    outcome_ = std::make_shared<const conformance::RowOutcome>(std::move(*outcome));
    const SourceLocation here = SourceLocation::in_file(options_->row);
    if (outcome_->failed > 0) {
      Diagnostic& problem =
          diagnostics_.error(DiagnosticKind::ExpectationFailed, here,
                             formatted("{} of {} cases are wrong; the first one: {}: {}", outcome_->failed, count(),
                                       outcome_->first->name, outcome_->first->why));
      if (!options_->failures.empty()) problem.note(write_failure());
    } else if (outcome_->passed == 0) {
      const bool known = !outcome_->lacks.empty();
      diagnostics_.error(DiagnosticKind::DeviceLacks, here,
                         known ? outcome_->lacks.begin()->first : "the row has no case");
    }
    for (const auto& [what, cases] : outcome_->lacks) {
      if (outcome_->passed + outcome_->failed > 0)
        diagnostics_.remark(DiagnosticKind::DeviceLacks, here, formatted("{} cases did not run: {}", cases, what));
    }
  }

  std::string outcome(int status) override {
    if (!outcome_) return formatted("{}: {}\n", options_->row, outcome_word(status));
    std::string text =
        formatted("{}: {}, {} of {} cases", options_->row, outcome_word(status), outcome_->passed, count());
    if (outcome_->of_bound > 0) text += formatted("; the largest error is {:.2f} of its bound", outcome_->of_bound);
    return text + "\n";
  }

  std::vector<RunReportEntry> report() const override {
    return {{.outcome = {options_->row, diagnostics_.all(), {}, true, options_->seed},
             .job = {},
             .recipe = {},
             .row = outcome_}};
  }

 private:
  std::uint64_t count() const { return outcome_->passed + outcome_->failed + outcome_->unsupported; }

  // Returns how to run the case again.
  std::string write_failure() {
    std::string name = options_->row;
    std::ranges::replace_if(name, [](char c) { return c == '/' || c == ' '; }, '_');
    const Path directory = Path(options_->failures) / name;
    const conformance::FailedCase& first = *outcome_->first;
    const Path graph = directory / "case.graph", inputs = directory / "inputs.npz", scenario = directory / "case.json";
    Result<> written;
    std::string again = formatted("`slipway conformance '{}'` runs it", options_->row);
    if (!first.graph.empty()) {
      written = write_file(graph, first.graph).and_then([&] { return write_inputs(inputs, first.inputs); });
      again = formatted("`slipway run {} --inputs {} --compare reference` runs it", graph.string(), inputs.string());
    } else if (!first.scenario.empty()) {
      written = write_file(scenario, first.scenario);
      again = formatted("`slipway run {}` runs it", scenario.string());
    }
    if (written) return again;
    diagnostics_.add(std::move(written.error()));
    return "the case was not written";
  }

  static Result<> write_inputs(const Path& to, const std::vector<reference::Tensor>& inputs) {
    std::vector<std::string> arrays;
    std::vector<tensor::NpzMember> members;
    for (const reference::Tensor& input : inputs) arrays.push_back(npy_of(input));
    for (std::size_t i = 0; i < arrays.size(); ++i) members.push_back({formatted("input_{}", i), bytes_of(arrays[i])});
    return tensor::write_npz(members).and_then(
        [&](const std::vector<std::byte>& archive) { return write_file(to, archive); });
  }

  static std::string npy_of(const reference::Tensor& from) {
    return tensor::npy_file(tensor::info_of(tosa::storage_of(from.type.data)).descr, from.type.shape, from.to_bytes());
  }

  std::shared_ptr<const RowOptions> options_;
  std::optional<conformance::RunTarget>& target_;
  std::shared_ptr<const conformance::RowOutcome> outcome_;
};

class RowJobs : public JobSource {
  MadeJob make(const Arguments& arguments) override {
    auto options = std::make_shared<RowOptions>();
    if (parse_row_options(arguments, *options)) return {};
    return {options, std::make_unique<RowJob>(options, target_)};
  }

  std::optional<conformance::RunTarget> target_;
};

}  // namespace

std::unique_ptr<JobSource> row_jobs() { return std::make_unique<RowJobs>(); }

}  // namespace slipway::cli
