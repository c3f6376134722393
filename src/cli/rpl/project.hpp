// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// `slipway check` and `slipway compile` on project files of the Render Pipeline Language.
#pragma once

#include "cli/rpl/options.hpp"
#include "rpl/project/build.hpp"

namespace slipway::cli {

bool is_project_file(const std::string& file);

// Reads the sources of a project; with --confine, only below the directory of the project file.
rpl::ReadSource source_reader(const RplOptions& options);

// Reports options that a project file sets itself, and further files.
void check_project_usage(const RplOptions& options, const Arguments& arguments, Diagnostics& diagnostics);

// Checks all variants of the programs that the options choose. Returns a line for each.
std::string check_project(const RplOptions& options, Diagnostics& diagnostics);

// Compiles them into `directory`/PASS/MATERIAL, or `directory`/PASS for a pass without materials, each as `--variants
// all` does, and all of them into the file `pack`; an empty path: not there. Nothing is written after an error.
std::string compile_project(const RplOptions& options, const std::string& directory, const std::string& pack,
                            Diagnostics& diagnostics);

}  // namespace slipway::cli
