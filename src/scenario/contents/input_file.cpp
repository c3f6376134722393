// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "scenario/contents/input_file.hpp"

#include "base/format.hpp"
#include "json/record.hpp"

namespace slipway::scenario {

InputFile open_input(const Path& path, json::Value named_at, Diagnostics& diagnostics) {
  Result<MappedFile> file = map_file(path);
  if (file) return std::make_shared<const MappedFile>(std::move(*file));
  for (const Diagnostic& cause : file.error()) diagnostics.add(json::problem(named_at, cause.kind, cause.message));
  return nullptr;
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
