// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The versions of the program and of the libraries that affect its results.
#pragma once

#include <string>

#include "json/writer.hpp"

namespace slipway::cli {

std::string version_text();  // "slipway MAJOR.MINOR.PATCH", from project() in CMakeLists.txt
// {"version", "revision", "dependencies": [...]}: what the existing scenario runner prints for --version
// (docs/spec/scenario.md#command-line).
std::string version_json();
void write_version(json::Writer& out);  // the same object

}  // namespace slipway::cli
