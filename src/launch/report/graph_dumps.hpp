// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Dumps of the inside of graphs after a run: the times of their operators (docs/spec/scenario.md#graph-profile-file)
// and the memory of their intermediates.
#pragma once

#include <string>

#include "base/log.hpp"
#include "base/system/files.hpp"
#include "launch/executor.hpp"

namespace slipway::launch {

// The operators of one graph of the plan, iteration by iteration, and what each kind of operator took: JSON. Empty when
// the profile has no times for that graph.
std::string write_graph_profile(const Profile& profile, std::size_t graph);

struct GraphDumpOptions {
  Path session_memory;  // directory for the intermediates of graphs; empty: none
  Path profiles;        // directory for the times of graphs' operators; empty: none
};

// Writes one file for each graph of the plan into each directory. Graphs that have nothing to dump are warnings.
// Errors: file-unwritable, device-failed.
Result<> dump_graphs(const Plan& plan, PreparedPlan& prepared, const GraphDumpOptions& options, const Profile& profile,
                     const Log& log);

}  // namespace slipway::launch
