// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "scenario/check.hpp"

#include "scenario/check/context.hpp"

namespace slipway::scenario {

std::set<std::string, std::less<>> check_scenario(const Scenario& scenario, const ScenarioOptions& options,
                                                  Diagnostics& diagnostics) {
  Context context{scenario, options, diagnostics};
  check_uids(context);
  check_formats(context);
  check_images(context);
  check_memory(context);
  check_shaders(context);
  check_barriers(context);
  check_expects(context);
  check_paths(context);
  check_commands(context);
  check_draws(context);
  check_optical_flow(context);
  return check_unused(context);
}

}  // namespace slipway::scenario
