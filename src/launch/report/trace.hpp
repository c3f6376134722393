// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A run as a Chrome trace: what the host did on one track, the GPU's commands on another. Perfetto and chrome://tracing
// open it.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "launch/report/perf_counters.hpp"
#include "launch/report/profile.hpp"

namespace slipway::launch {

// GPU ticks have an origin of their own; the first timestamp is drawn at the moment of the first submission.
std::string write_trace(std::string_view name, std::span<const PerfCounter> counters, const Profile& profile);

}  // namespace slipway::launch
