// The program's version, and those of the libraries that decide its results.
#pragma once

#include <string>

namespace slipway::cli {

std::string version_text();  // "slipway 0.1.0"
// {"version", "revision", "dependencies": [...]}: what the existing scenario runner prints for --version (scenario
// page 3.16).
std::string version_json();

}  // namespace slipway::cli
