// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Subgraphs of TensorFlow Lite files as graphs of a net.
#pragma once

#include "importer/net.hpp"
#include "importer/tflite/operator_codes.hpp"
#include "importer/tflite/tensor_reader.hpp"

namespace slipway::importer {

// An entry of the file's list of operators. Without a builtin operator and a kind, it is unknown.
struct OperatorKind {
  const BuiltinOperator* builtin = nullptr;  // null for custom operators
  std::string kind;
  std::int64_t code = 0;
  std::int64_t version = 1;
};

// Values have the numbers of the tensors. `index`: a subgraph that exists.
NetGraph read_graph(TfliteFile& file, TensorReader& tensors, const std::vector<OperatorKind>& kinds, std::size_t index);
// "tensor `x`", or "tensor 5" if it has no name.
std::string tensor_label(const TfliteFile& file, std::size_t graph, std::size_t tensor);

}  // namespace slipway::importer
