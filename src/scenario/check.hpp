// What a scenario must fulfil beyond the shape of its objects, as far as it can be told without any other file: phase 3
// of the page's section 4 (references, format names, cross rules).
#pragma once

#include "base/diagnostic.hpp"
#include "scenario/model.hpp"

namespace slipway::scenario {

struct CheckOptions {
  Path output;           // directory that `dst` is relative to; empty: the scenario's
  bool confine = false;  // refuse paths that leave the scenario's directory (`dst`: also the output directory is fine)
  bool remarks = false;  // notes on resources that nothing uses (`check`)
};

void check_scenario(const Scenario& scenario, const CheckOptions& options, Diagnostics& diagnostics);

}  // namespace slipway::scenario
