// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Writes a graph as a SPIR-V graph module (SPV_ARM_graph, TOSA.001000.1, Arm.MotionEngine.100;
// docs/spec/vgf.md#graph-modules, docs/spec/converter.md#spir-v-emission).
//
//   Result<spirv::Words> words = write_graph_module(graph);
//
// The module has one graph, whose entry point is `graph.name`. Its inputs and outputs are bound as `input_bindings` and
// `output_bindings` specify; without them, at set 0 with bindings 0, 1, ... for inputs, then outputs. A constant with a
// `graph_constant` id becomes OpGraphConstantARM, for which a VGF file has the data; all others are part of the module.
// Reading the module (read_spirv.hpp) returns the same graph, except for types that SPIR-V does not have: i4 becomes
// i8, and rank 0 becomes [1].
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "base/diagnostic.hpp"
#include "spirv/module.hpp"
#include "tosa/graph.hpp"

namespace slipway::tosa {

struct SpirvOptions {
  // Uses OpConstantCompositeReplicateEXT for constants whose elements are equal; drivers without
  // VK_EXT_shader_replicated_composites refuse it.
  bool replicate = true;
  // Names of the graph, its operators and tensors (NonSemantic.Graph.DebugInfo.1).
  bool debug_info = false;
  // The CALL opcode of Arm.ExperimentalMLOperations.1 for the CUSTOM operators of a domain.
  std::map<std::string, std::uint32_t, std::less<>> custom_opcodes;
};

// Reports everything of this graph that a module cannot represent: the errors of write_graph_module.
void check_writable(const Graph& graph, const SpirvOptions& options, Diagnostics& diagnostics);
// Reports that a CUSTOM operator has no opcode.
void unmapped_custom(const CustomOperator& custom, const SourceLocation& location, Diagnostics& diagnostics);

// The graph must be verified. Collects all errors, located at the operators: unsupported (a CUSTOM operator whose
// domain has no opcode, a rank above 6), out-of-range (a dimension of 0), missing-key (a constant without data).
Result<spirv::Words> write_graph_module(const Graph& graph, const SpirvOptions& options = {});

}  // namespace slipway::tosa
