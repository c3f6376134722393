// What the verbs do with run recipes and profiles.
#pragma once

#include "cli/command_line.hpp"
#include "cli/content.hpp"

namespace slipway::cli {

// A JSON object with `execution` and `runs` in it.
bool is_recipe(const Content& content);
// A JSON object with `bindings`, `executions`, `execution`, `qos` or `dtrace`, and without `resources`.
bool is_profile(const Content& content);

int run_recipe(const Arguments& arguments);
int check_recipe(const Arguments& arguments);
int check_profile_file(const Arguments& arguments);

// The drop-in name `xrt-runner` (recipe page 5.2).
int xrt_runner(const Arguments& arguments);

}  // namespace slipway::cli
