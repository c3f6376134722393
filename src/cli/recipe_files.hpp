// Recipes from files: shared by `slipway run` and `xrt-runner`.
#pragma once

#include <optional>
#include <string>

#include "base/diagnostic.hpp"
#include "recipe/session.hpp"

namespace slipway::cli {

struct RecipeFiles {
  std::string recipe, profile, kernels;  // empty: none; the recipe may be `-`
  Path directory;                        // of the artifacts
  bool allow_outside = false;
};

// Null after a diagnostic.
SourcePtr read_input(const std::string& file, Diagnostics& diagnostics);
// The directory of the files that `file` names: that of `--dir`, else its own; the current one for standard input.
Path artifact_directory(const std::string& dir, const std::string& file);
// The options of a session with these files; nothing after diagnostics if one cannot be read.
std::optional<recipe::SessionOptions> session_options(const RecipeFiles& files, Diagnostics& diagnostics);

}  // namespace slipway::cli
