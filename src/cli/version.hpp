// The program's version, and those of the libraries that decide its results.
#pragma once

#include <string>

namespace slipway::cli {

std::string version_text();  // "slipway MAJOR.MINOR.PATCH", from project() in CMakeLists.txt
// {"version", "revision", "dependencies": [...]}: what the existing scenario runner prints for --version (scenario
// page 3.16).
std::string version_json();

}  // namespace slipway::cli
