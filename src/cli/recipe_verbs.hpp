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

// A JSON object with `resources` and `execution` with `frames`: a capture of what an application did with an NPU.
bool is_replay(const Content& content);
int run_replay(const Arguments& arguments);
int check_replay_file(const Arguments& arguments);
// Reads and checks a capture, and says that this program cannot run it.
void explain_replay(const std::string& file, const Path& directory, Diagnostics& diagnostics);

// The drop-in names `xrt-runner` and `xrt-replay` (recipe page 5.2).
int xrt_runner(const Arguments& arguments);
int xrt_replay(const Arguments& arguments);

}  // namespace slipway::cli
