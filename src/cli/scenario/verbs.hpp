// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The verbs for scenarios.
#pragma once

#include "cli/command_line.hpp"
#include "cli/content.hpp"
#include "cli/run/job.hpp"

namespace slipway::cli {

// A JSON object with `resources` or `commands`, and without the `execution` of a recipe.
bool is_scenario(const Content& content);

int run_scenario(const Arguments& arguments);
std::unique_ptr<JobSource> scenario_jobs();
int check_scenario(const Arguments& arguments);

}  // namespace slipway::cli
