// Writes a graph as a SPIR-V graph module (SPV_ARM_graph, TOSA.001000.1, Arm.MotionEngine.100; VGF page 3.8, converter
// page 3.13).
//
//   Result<spirv::Words> words = write_graph_module(graph);
//
// The module has one graph, whose entry point is `graph.name`. Its inputs and outputs are bound where `input_bindings`
// and `output_bindings` say, without them at set 0 with the numbers 0, 1, ... over inputs, then outputs. A constant
// with a `graph_constant` number becomes OpGraphConstantARM, for which a VGF file has the data; all others stand inside
// the module. Reading the module (read_spirv.hpp) gives the graph again, but for types that SPIR-V does not have: i4
// becomes i8, and rank 0 becomes [1].
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "base/diagnostic.hpp"
#include "spirv/module.hpp"
#include "tosa/graph.hpp"

namespace slipway::tosa {

struct SpirvSettings {
  // OpConstantCompositeReplicateEXT for constants whose elements are equal; drivers without
  // VK_EXT_shader_replicated_composites refuse it.
  bool replicate = true;
  // Names of the graph, its operators and tensors (NonSemantic.Graph.DebugInfo.1).
  bool debug_info = false;
  // Which CALL of Arm.ExperimentalMLOperations.1 stands for the CUSTOM operators of a domain.
  std::map<std::string, std::uint32_t, std::less<>> custom_opcodes;
};

// What a module cannot say of this graph; the same that writing it says.
void check_writable(const Graph& graph, const SpirvSettings& settings, Diagnostics& diagnostics);
// The part of it that says that nothing stands for a CUSTOM operator.
void unmapped_custom(const CustomOperator& custom, const SourceLocation& location, Diagnostics& diagnostics);

// The graph has to be verified. Collects all problems, at the operators concerned: unsupported (a CUSTOM operator whose
// domain has no opcode, a rank above 6), out-of-range (a dimension of 0), missing-key (a constant without data).
Result<spirv::Words> write_graph_module(const Graph& graph, const SpirvSettings& settings = {});

}  // namespace slipway::tosa
