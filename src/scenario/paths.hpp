// Where the files that a scenario names are (scenario page 3.1, decision 4).
//
// `src` and include directories count from the folder of the scenario file, `dst` from the output folder when one is given
// (`--output`), else from the scenario's folder. Absolute paths win, and `..` may leave a folder: a scenario is as trusted as a
// program. Who runs strangers' scenarios confines them (`--confine`): an input must then lie in the scenario's folder or below, an
// output in the folder that it counts from, links followed; anything else is a path-outside error.
#pragma once

#include <optional>
#include <string>

#include "base/files.hpp"
#include "json/document.hpp"

namespace slipway::scenario {

struct Folders {
  Path scenario;       // of the scenario file; empty: the current one
  Path output;         // empty: the scenario's
  bool confine = false;
};

// The value is the JSON string with the path; errors are path-outside there.
std::optional<Path> resolve_input(const Folders& folders, json::Value path, Diagnostics& diagnostics);
std::optional<Path> resolve_output(const Folders& folders, json::Value path, Diagnostics& diagnostics);
// Relative to the scenario's folder; when it is absent there but present relative to the current folder that one, with a warning.
std::optional<Path> resolve_include_folder(const Folders& folders, json::Value path, Diagnostics& diagnostics);

// One spelling for paths that lead to one file: absolute, without `.` and `..`, links followed as far as the path exists.
std::string canonical_name(const Path& path);

// The extension in lower case with its dot: extensions are compared case-insensitively (scenario page 3.1).
std::string extension_of(const Path& path);

}  // namespace slipway::scenario
