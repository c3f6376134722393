// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Functions that look like entry points: they take nothing, and their names end in `vertex_main`, `fragment_main` or
// `compute_main`.
#pragma once

#include <vector>

#include "rpl/program.hpp"
#include "rpl/resolve.hpp"

namespace slipway::rpl {

// The first function of each stage of such a pipeline.
std::vector<EntryPointName> entry_functions(const Program& program, PipelineKind pipeline);

}  // namespace slipway::rpl
