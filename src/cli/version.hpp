// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The versions of the program and of the libraries that affect its results.
#pragma once

#include <string>

#include "json/record.hpp"

namespace slipway::cli {

std::string version_text();  // "slipway MAJOR.MINOR.PATCH", from project() in CMakeLists.txt
// {"version", "revision", "dependencies": [...]}: what the existing scenario runner prints for --version
// (docs/spec/scenario.md#command-line).
std::string version_json();

// The record of that object. All values are constants of the build, so the type has no members.
struct ProgramVersion {};
const json::Record<ProgramVersion>& version_record();

}  // namespace slipway::cli
