// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "scenario/paths.hpp"

#include "base/format.hpp"

namespace slipway::scenario {

Path source_path(const Scenario& scenario, std::string_view src) { return scenario.directory / Path(src); }

Path output_path(const Scenario& scenario, std::string_view dst, const Path& output_directory) {
  return output_root(scenario, output_directory) / Path(dst);
}

const Path& output_root(const Scenario& scenario, const Path& output_directory) {
  // NOLINTNEXTLINE(bugprone-return-const-ref-from-parameter): callers have variables
  return output_directory.empty() ? scenario.directory : output_directory;
}

std::string outside_text(const Path& path) {
  return formatted("{} is outside of the scenario's directory, to which --confine keeps it", path.string());
}

}  // namespace slipway::scenario
