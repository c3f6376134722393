// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A part of a function of the host, of which there is a time: a kernel of a graph that the CPU runs.
#pragma once

#include <string>

#include "launch/report/perf_counters.hpp"

namespace slipway::launch {

struct CallPart {
  std::string name;
  HostClock::time_point begin, end;
};

}  // namespace slipway::launch
