// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "scenario/contents/input_file.hpp"

#include "base/format.hpp"
#include "base/system/paths/confined_file.hpp"
#include "json/record.hpp"
#include "scenario/paths.hpp"

namespace slipway::scenario {

namespace {

template <class T>
Result<T> with_outside_text(Result<T> opened, const Path& path) {
  if (opened || opened.error().at(0).kind != DiagnosticKind::PathOutside) return opened;
  return fail(DiagnosticKind::PathOutside, SourceLocation::in_file(path.string()), outside_text(path));
}

}  // namespace

std::optional<MappedFile> map_input(const Scenario& scenario, const Path& path, json::Value named_at,
                                    Diagnostics& diagnostics) {
  Result<MappedFile> file =
      scenario.confine ? with_outside_text(map_file_below(scenario.directory, path), path) : map_file(path);
  if (file) return std::move(*file);
  for (const Diagnostic& cause : file.error()) diagnostics.add(json::problem(named_at, cause.kind, cause.message));
  return std::nullopt;
}

InputFile open_input(const Scenario& scenario, const Path& path, json::Value named_at, Diagnostics& diagnostics) {
  std::optional<MappedFile> file = map_input(scenario, path, named_at, diagnostics);
  return file ? std::make_shared<const MappedFile>(std::move(*file)) : nullptr;
}

Result<std::string> read_input(const Scenario& scenario, const Path& path) {
  return scenario.confine ? with_outside_text(read_text_below(scenario.directory, path), path) : read_text(path);
}

Diagnostic named_by(Diagnostic problem, json::Value named_at) {
  problem.note(formatted("named by `{}` here", json::key_above(named_at)), named_at.location());
  problem.at(named_at.pointer(), json::uid_around(named_at));
  return problem;
}

void add_named_by(Diagnostics& diagnostics, Failure problems, json::Value named_at) {
  for (Diagnostic& problem : problems) diagnostics.add(named_by(std::move(problem), named_at));
}

}  // namespace slipway::scenario
