// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// From a graph to kernels (docs/architecture.md).
//
//   Result<KernelProgram> program = lower_graph(graph, {});
//
// The stages, each of which can be printed:
//
//   plan_fusion    which values are stored at all             print_fusion         plan/fusion.hpp
//   plan_widening  which 8-bit values are stored as floats    print_widening       plan/widening.hpp
//   strategies     a kernel for each stored value, with all   print_contraction    strategies/strategy.hpp
//                  values that are not stored computed on
//                  the way
//   schedule       which dispatches run side by side          print_schedule       plan/schedule.hpp
//   plan_memory    offsets of intermediates in the arena      print_memory_plan    plan/memory.hpp
//                  the program                                print_program        program.hpp
#pragma once

#include "base/diagnostic.hpp"
#include "lower/options.hpp"
#include "lower/program.hpp"

namespace slipway::lower {

// The graph must be verified and static, and its constants must have their data. Errors: unsupported (CUSTOM
// operators, tensors of more than 2^31 - 1 elements).
Result<KernelProgram> lower_graph(const tosa::Graph& graph, const LowerOptions& options);

}  // namespace slipway::lower
