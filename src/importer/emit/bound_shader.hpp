// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Nodes that a compute shader computes, because the user bound their kind to one (ImportOptions::shaders).
#pragma once

#include <set>
#include <string>
#include <vector>

#include "importer/emit/node_context.hpp"

namespace slipway::importer {

// What a shader is made for.
struct ShaderNode {
  const NetNode& node;
  std::string kind;                               // as ImportOptions::shaders names it
  std::vector<tosa::TensorType> inputs, outputs;  // of the graph; absent operands and results are left out
};

// How ImportOptions::shaders names the kind of a node: `com.acme.Warp`, and a custom operator of TensorFlow Lite by its
// name.
std::string shader_kind(const Net& net, const NetNode& node);

// Adds shader operators to graphs, and keeps what the compiler reports.
class BoundShaders {
 public:
  explicit BoundShaders(const ImportOptions& options) : options_(options) {}

  // Whether the kind of the node is bound.
  bool has(const Net& net, const NetNode& node) const { return options_.shaders.contains(shader_kind(net, node)); }

  // Results have the types and shapes that the file declares, else those of the first operand. Refused: the shader
  // cannot be used; why is in the diagnostics.
  void emit(NodeContext& node);

  // Adds what was reported, and an error for each kind that no node has.
  void finish(const Net& net, Diagnostics& diagnostics) const;

 private:
  const ImportOptions& options_;
  std::set<std::string, std::less<>> used_, failed_;
  Failure problems_;
};

}  // namespace slipway::importer
