// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Resolves the paths of a scenario (docs/spec/scenario.md#files-and-paths): inputs are relative to the scenario's
// directory, outputs to the directory given with `--output`, otherwise also to the scenario's; absolute paths stay
// unchanged.
#pragma once

#include <string>
#include <string_view>

#include "scenario/model.hpp"

namespace slipway::scenario {

Path source_path(const Scenario& scenario, std::string_view src);
Path output_path(const Scenario& scenario, std::string_view dst, const Path& output_directory = {});
// The directory that outputs may not leave if the scenario is confined: that given with `--output`, or the scenario's.
const Path& output_root(const Scenario& scenario, const Path& output_directory);
// The message for a path that leaves it.
std::string outside_text(const Path& path);

}  // namespace slipway::scenario
