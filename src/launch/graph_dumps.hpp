// What users can see of the inside of graphs after a run: the times of their operators and the memory of their
// intermediates (scenario page 3.16, 3.17).
#pragma once

#include <string>

#include "base/log.hpp"
#include "gpu/device.hpp"
#include "launch/report.hpp"
#include "launch/resources.hpp"
#include "launch/run.hpp"

namespace slipway::launch {

// The operators of one graph of the plan, iteration by iteration, and what each kind of operator took: JSON. Empty when
// the profile has no times for that graph.
std::string write_graph_profile(const Profile& profile, std::size_t graph);

// Lines of 16 bytes: a line break, `%08X:   `, then `%02X ` for each.
std::string session_memory_text(Bytes memory);

// Writes the files that the options ask for, one for each graph of the plan. Errors: file-unwritable, device-failed.
Result<> dump_graphs(const Plan& plan, const gpu::Device& device, const Resources& resources, const RunOptions& options,
                     const Report& report, const Log& log);

}  // namespace slipway::launch
