// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reads recipes from files and opens the back ends that run them; shared by `slipway run` and `xrt-runner`.
#pragma once

#include <optional>
#include <string>

#include "base/diagnostic.hpp"
#include "cli/option_groups.hpp"
#include "recipe/session.hpp"

namespace slipway::cli {

struct RecipeFiles {
  std::string recipe, profile, kernels;  // empty: not given; the recipe may be `-`
  Path directory;                        // base of the artifacts' paths
  bool allow_outside = false;
};

// Returns null if the file cannot be read.
SourcePtr read_input(const std::string& file, Diagnostics& diagnostics);
// Returns the base directory of the paths in `file`: `dir`, the value of --dir, if it is not empty, else the directory
// of `file`; for standard input the current directory.
Path artifact_directory(const std::string& dir, const std::string& file);
// Returns nothing if a file cannot be read.
std::optional<recipe::SessionOptions> session_options(const RecipeFiles& files, Diagnostics& diagnostics);
// As `report_check`, but any error is bad input: returns 3.
int report_recipe_check(Diagnostics& diagnostics, const ReportStyle& style, std::span<const std::string> files);
recipe::PlanOptions plan_options(const RecipeGroup& options, const EngineGroup& engine, const RunGroup& run);

}  // namespace slipway::cli
