// Where the paths of a scenario lead (page 3.1): inputs are relative to the scenario's directory, outputs to the
// directory given with `--output`, or else to the scenario's too; absolute ones stay.
#pragma once

#include <string_view>

#include "scenario/model.hpp"

namespace slipway::scenario {

Path source_path(const Scenario& scenario, std::string_view src);
Path output_path(const Scenario& scenario, std::string_view dst, const Path& output_directory = {});
// With the dot, in lower case: extensions are compared without regard to case.
std::string extension_of(std::string_view path);

}  // namespace slipway::scenario
