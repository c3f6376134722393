// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "recipe/jobs/session_job.hpp"

#include <algorithm>

#include "base/format.hpp"
#include "base/system/paths/confined_file.hpp"

namespace slipway::recipe {
namespace {

// The report has the first error; `diagnostics` has all.
JobResult failed(const Session* session, Failure diagnostics) {
  const auto first = std::ranges::find(diagnostics, Severity::Error, &Diagnostic::severity);
  const Diagnostic& problem = first == diagnostics.end() ? diagnostics.front() : *first;
  JobResult result{.status = exit_status(diagnostics), .report = {}, .diagnostics = {}};
  if (session) {
    const Failure one = {problem};
    result.report = session->report_value(&one, nullptr);
  } else {
    result.report.error = error_of(problem);
  }
  result.diagnostics = std::move(diagnostics);
  return result;
}

SourcePtr read(const std::string& name, const SessionJobOptions& options, Diagnostics& diagnostics) {
  const Path path = options.directory / name;
  if (!options.confine) return diagnostics.take(read_source(path)).value_or(nullptr);
  auto text = diagnostics.take(read_text_below(options.directory, path));
  return text ? make_source(path.string(), *std::move(text)) : nullptr;
}

// The directory of the artifacts of a job.
Path artifacts_of(const Job& job, const SessionJobOptions& options, Diagnostics& diagnostics) {
  Path directory = options.directory / job.directory;
  const bool is_same = job.directory.empty() || Path(job.directory).lexically_normal() == ".";
  if (options.confine && !is_same && fault_of_input(options.directory, directory))
    diagnostics.error(DiagnosticKind::PathOutside, SourceLocation::in_file(directory.string()),
                      formatted("job `{}`: {} is outside of the directory of the script, to which --confine keeps it",
                                job.id, directory.string()));
  return directory;
}

std::expected<RunJob, JobResult> prepare(const Job& job, const SessionJobOptions& options) {
  Diagnostics diagnostics;
  const Path artifacts = artifacts_of(job, options, diagnostics);
  SessionOptions session_options = options.session;
  session_options.recipe = read(job.recipe, options, diagnostics);
  if (!job.profile.empty()) session_options.profile = read(job.profile, options, diagnostics);
  if (diagnostics.has_errors()) return std::unexpected(failed(nullptr, diagnostics.release()));
  session_options.artifacts = Artifacts::in_directory(artifacts, options.allow_outside);
  session_options.changes.silent = true;
  if (job.iterations.value_or(0) != 0) session_options.changes.iterations = job.iterations;
  if (job.mode) session_options.changes.mode = job.mode;

  auto session = std::make_unique<Session>(Session::load(session_options, diagnostics));
  if (!session->plan()) return std::unexpected(failed(nullptr, diagnostics.release()));
  if (!session->open(options.open(artifacts), diagnostics) || !session->prepare(diagnostics)) {
    return std::unexpected(failed(nullptr, diagnostics.release()));
  }
  return [session = std::move(session), warnings = diagnostics.release(),
          accepts = options.accepts_unwritten]() mutable -> JobResult {
    const std::optional<RunFailure> failure = session->run();
    Failure unwritten = session->runner().unwritten_outputs();
    if (accepts) std::ranges::for_each(unwritten, &Diagnostic::as_rule);
    warnings.append_range(std::move(unwritten));
    if (failure) warnings.append_range(failure->diagnostics);
    if (std::ranges::contains(warnings, Severity::Error, &Diagnostic::severity))
      return failed(session.get(), std::move(warnings));
    return {.status = 0, .report = session->report_value(nullptr, nullptr), .diagnostics = std::move(warnings)};
  };
}

}  // namespace

PrepareJob session_jobs(SessionJobOptions options) {
  return [options = std::move(options)](const Job& job) { return prepare(job, options); };
}

}  // namespace slipway::recipe
