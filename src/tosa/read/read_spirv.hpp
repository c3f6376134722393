// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reads the graphs of a SPIR-V module (SPV_ARM_graph, TOSA.001000.1, Arm.MotionEngine.100;
// docs/spec/vgf.md#graph-modules).
//
//   const auto module = spirv::read_module(words, "model.vgf module 0");
//   std::optional<Graph> graph = read_graph(*module, "main", diagnostics);
//
// An array of tensors as an input or output becomes one input or output for each element (Binding::element).
//
// Reading is tolerant in form (order of declarations, repeated constants and types, replicated and null constants,
// unused capabilities) and strict in the meaning of a graph. The only graph of a module is taken under any name, with a
// warning that is an error in `check` (Diagnostics::rule). It does not verify operators: shapes may still have to be
// merged with those of a VGF file, and graph constants have no data yet (`bind_constants`).
#pragma once

#include <string>
#include <vector>

#include "base/diagnostic.hpp"
#include "spirv/module.hpp"
#include "tosa/graph.hpp"

namespace slipway::tosa {

// The names of the entry points of the graphs, in order.
std::vector<std::string> graph_entry_points(const spirv::Module& module);

// Collects all errors, each at its instruction: file-format, type-mismatch, unknown-reference, unsupported (an
// unknown instruction set or operator; the message lists the known ones). Empty after an error.
std::optional<Graph> read_graph(const spirv::Module& module, std::string_view entry_point, Diagnostics& diagnostics);

}  // namespace slipway::tosa
