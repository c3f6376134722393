// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The verbs for run recipes, profiles and captures.
#pragma once

#include "cli/command_line.hpp"
#include "cli/content.hpp"
#include "cli/run/job.hpp"

namespace slipway::cli {

// A JSON object with `execution/runs`.
bool is_recipe(const Content& content);
// A JSON object with `bindings`, `executions`, `execution`, `qos` or `dtrace`, and without `resources`.
bool is_profile(const Content& content);

int run_recipe(const Arguments& arguments);
std::unique_ptr<JobSource> recipe_jobs();
int check_recipe(const Arguments& arguments);
int check_profile_file(const Arguments& arguments);

// `slipway validate`.
int validate_verb(const Arguments& arguments);

// A JSON object with `resources` and `execution/frames`: a capture of the NPU calls of an application.
bool is_replay(const Content& content);
int run_replay(const Arguments& arguments);
int check_replay_file(const Arguments& arguments);
// Runs a capture on the first NPU. The report is written if its name is not empty.
void replay_capture(const std::string& file, const Path& directory, std::optional<std::uint64_t> iterations,
                    const std::string& report, Diagnostics& diagnostics);

// The drop-in names `xrt-runner` and `xrt-replay` (docs/spec/recipe.md#xrt-runner).
int xrt_runner(const Arguments& arguments);
int xrt_replay(const Arguments& arguments);

}  // namespace slipway::cli
