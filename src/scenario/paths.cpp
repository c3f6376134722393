// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "scenario/paths.hpp"

namespace slipway::scenario {

Path source_path(const Scenario& scenario, std::string_view src) { return scenario.directory / Path(src); }

Path output_path(const Scenario& scenario, std::string_view dst, const Path& output_directory) {
  return (output_directory.empty() ? scenario.directory : output_directory) / Path(dst);
}

}  // namespace slipway::scenario
