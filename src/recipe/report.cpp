// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Collects the report of a session: the keys of the shipped runner, and others (docs/spec/recipe.md#reports).
#include "recipe/report_records.hpp"

#include <algorithm>

#include "generated_version.hpp"
#include "recipe/control_code/control_code.hpp"
#include "recipe/xclbin/xclbin.hpp"

namespace slipway::recipe {
namespace {

constexpr std::uint64_t kDefaultRunlistThreshold = 6;

SessionDetails::Execution report_of(const ExecutionOutcome& outcome, bool single) {
  SessionDetails::Execution report{.cpu = {.elapsed_us = static_cast<std::uint64_t>(outcome.elapsed_ns / 1000),
                                           .latency_us = outcome.latency_us,
                                           .throughput = outcome.throughput},
                                   .iterations = outcome.iterations,
                                   .name = outcome.name,
                                   .times = outcome.times};
  if (outcome.samples.count != 0) report.samples = outcome.samples;
  if (!single) {
    report.depth = outcome.depth;
    report.mode = outcome.mode;
    report.poll = outcome.poll;
  }
  return report;
}

SessionDetails::Resources resources_of(const Plan& plan, const Runner* runner, std::uint64_t threshold) {
  SessionDetails::Resources report{.buffers = plan.buffers.size(),
                                   .contexts = plan.contexts.size(),
                                   .kernels = plan.kernels.size(),
                                   .runs = plan.runs.size(),
                                   .total_buffer_size = runner ? runner->created_bytes() : 0,
                                   .cpus = plan.cpus.size(),
                                   .runlist_threshold = threshold};
  for (std::size_t i = 0; i < plan.lists.size(); ++i) {
    const ListPlan& list = plan.lists[i];
    report.lists.push_back({list.backend, list.end - list.begin, runner && runner->chained(i)});
  }
  return report;
}

std::vector<SessionDetails::Run> runs_of(const Plan& plan, const Runner* runner) {
  const std::vector<RunRecord> records = runner ? runner->records() : std::vector<RunRecord>(plan.runs.size());
  std::vector<SessionDetails::Run> runs;
  for (std::size_t i = 0; i < plan.runs.size(); ++i) {
    const RunPlan& run = plan.runs[i];
    const RunRecord& record = records[i];
    SessionDetails::Run& report =
        runs.emplace_back(SessionDetails::Run{.index = i,
                                              .id = run.id,
                                              .kernel = run.resource,
                                              .where = run.backend == BackendKind::Cpu ? Where::Cpu : Where::Npu,
                                              .backend = run.backend,
                                              .status = record.status,
                                              .count = record.count});
    if (!record.total_ns) continue;
    report.total_us = *record.total_ns / 1000;
    report.mean_us = record.count ? *report.total_us / static_cast<double>(record.count) : 0.0;
  }
  return runs;
}

SessionDetails::Context context_of(const ContextPlan& context) {
  // Errors in these files were reported when the recipe was loaded.
  Diagnostics ignored;
  SessionDetails::Context report;
  if (context.xclbin) {
    if (const auto file = xclbin::read_xclbin(context.xclbin->bytes, context.xclbin->name, ignored))
      report.uuid = xclbin::uuid_text(file->uuid);
  } else if (!context.programs.empty()) {
    const Artifact& first = context.programs.front();
    const auto file = control_code::read_control_code(first.bytes, first.name, ignored);
    if (file && file->uid) report.elf_uid = xclbin::uuid_text(*file->uid);
  }
  return report;
}

void add_contexts(const Plan& plan, SessionDetails& report) {
  for (const ContextPlan& context : plan.contexts) {
    if (!context.xclbin && context.programs.empty()) continue;
    if (!report.contexts) report.contexts.emplace();
    report.contexts->emplace_back(context.name, context_of(context));
    if (context.name == "header" && context.xclbin) report.xclbin = report.contexts->back().second;
  }
}

std::vector<SessionDetails::Validation> validation_of(const std::vector<ValidationResult>& results) {
  std::vector<SessionDetails::Validation> validation;
  for (const ValidationResult& result : results) {
    SessionDetails::Validation& report = validation.emplace_back(SessionDetails::Validation{
        .buffer = result.buffer, .ok = result.mismatches == 0, .mismatches = result.mismatches});
    if (result.mismatches) report.first = result.first;
  }
  return validation;
}

}  // namespace

SessionReport::Error error_of(const Diagnostic& diagnostic) {
  SessionReport::Error error{.kind = std::string(slipway::name_of(diagnostic.kind)), .message = diagnostic.message};
  if (!diagnostic.path.empty()) error.pointer = diagnostic.path;
  return error;
}

SessionDetails Session::details() const {
  SessionDetails report;
  if (engine_) {
    const auto& outcomes = engine_->executions();
    if (!profile_->is_single()) {
      report.executions.emplace();
      for (const ExecutionOutcome& outcome : outcomes) report.executions->push_back(report_of(outcome, false));
    } else if (!outcomes.empty()) {
      report.execution = report_of(outcomes.front(), true);
    }
    report.validation = validation_of(engine_->validation());
  }
  if (plan_) {
    const Execution* first =
        profile_->is_single() ? (profile_->execution ? &*profile_->execution : nullptr) : &profile_->executions.front();
    report.resources =
        resources_of(*plan_, runner_.get(),
                     first ? first->runlist_threshold.value_or(kDefaultRunlistThreshold) : kDefaultRunlistThreshold);
    report.runs = runs_of(*plan_, runner_.get());
    add_contexts(*plan_, report);
  }
  if (runner_) {
    report.backends.emplace();
    for (const auto& [kind, info] : runner_->backends()) report.backends->emplace_back(name_of(kind), info);
  }
  return report;
}

SessionReport Session::report_value(const Failure* failure, const ProcessUsage* system) const {
  SessionReport report{.details = details(), .version = std::string(cli::kVersion)};
  if (failure && !failure->empty()) report.error = error_of(failure->front());
  if (system) report.system = *system;
  return report;
}

std::string Session::report(const Failure* failure, const ProcessUsage* system, int indent) const {
  return json::object_text(report_record(), report_value(failure, system), indent);
}

}  // namespace slipway::recipe
