// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Graphs of ONNX files: names become values, calls of functions of the file become their nodes, and subgraphs become
// attributes (docs/spec/import.md#functions-and-subgraphs).
#pragma once

#include <memory>

#include "importer/onnx/read/functions.hpp"

namespace slipway::importer::onnx {

struct GraphSources {
  OnnxFile& file;
  const FunctionTable& functions;
  const Versions& versions;
  // Every initializer is an input too (before ir_version 4).
  bool has_initializers_as_inputs = false;
};

// The main graph. Errors are reported; the graph is then incomplete.
std::shared_ptr<const NetGraph> read_main_graph(const GraphSources& sources, const Submessage& graph);

}  // namespace slipway::importer::onnx
