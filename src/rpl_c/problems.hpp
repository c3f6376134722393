// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Diagnostics as the structures of slipway/rpl.h, and the edge of the interface.
#pragma once

#include <utility>

#include "base/diagnostic.hpp"
#include "slipway/rpl.h"

namespace slipway::rpl_c {

// Replaces the list, whose earlier contents are not read; nothing for no diagnostics.
void give_problems(const Diagnostics& diagnostics, rpl_problems* problems);
// The same, and the status of the call.
rpl_status give_result(const Diagnostics& diagnostics, rpl_problems* problems);
rpl_status wrong_call(rpl_problems* problems, const char* message);

// Runs a call of the interface; no exception leaves it.
template <class Run>
rpl_status guarded(rpl_problems* problems, Run run) {
  if (problems) *problems = {};
  try {
    return run();
  } catch (...) {
    return RPL_FAILED;  // there is no memory, and none for a problem
  }
}

// The options of a call: those of a caller with an older header lack members, which are zero.
template <class Options>
bool read_options(const Options* given, Options& to) {
  to = {};
  if (!given) return true;
  if (given->size < sizeof given->size || given->size > 1024) return false;
  const auto* from = reinterpret_cast<const char*>(given);
  std::size_t known = given->size < sizeof to ? given->size : sizeof to;
  for (std::size_t i = 0; i < known; ++i) reinterpret_cast<char*>(&to)[i] = from[i];
  return true;
}

}  // namespace slipway::rpl_c
