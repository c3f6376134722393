// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Files that a scenario names, opened for reading, and the diagnostics about them.
#pragma once

#include <memory>

#include "base/system/files.hpp"
#include "json/document.hpp"
#include "scenario/model.hpp"

namespace slipway::scenario {

// Shared by all later readers of the mapping.
using InputFile = std::shared_ptr<const MappedFile>;

// Null, with an error at the JSON string that names the file, when it cannot be opened: "Could not open file PATH".
// Files of a confined scenario are opened below its directory.
InputFile open_input(const Scenario& scenario, const Path& path, json::Value named_at, Diagnostics& diagnostics);
std::optional<MappedFile> map_input(const Scenario& scenario, const Path& path, json::Value named_at,
                                    Diagnostics& diagnostics);
Result<std::string> read_input(const Scenario& scenario, const Path& path);

// Diagnostics in a file show that file first, with a note at the location where the scenario names it
// (docs/spec/scenario.md#messages).
Diagnostic named_by(Diagnostic problem, json::Value named_at);
void add_named_by(Diagnostics& diagnostics, Failure problems, json::Value named_at);

// The value of a result; otherwise reports its diagnostics like `add_named_by`.
template <class T>
std::optional<T> take_named_by(Diagnostics& diagnostics, Result<T> result, json::Value named_at) {
  if (result) return std::move(*result);
  add_named_by(diagnostics, std::move(result.error()), named_at);
  return std::nullopt;
}

}  // namespace slipway::scenario
