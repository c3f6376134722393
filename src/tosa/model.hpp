// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A model of a file: a graph with its interface and source locations.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "tosa/graph.hpp"

namespace slipway::tosa {

struct Model {
  std::string file;  // its name in messages
  Graph graph;
  // Names of the model's interface: one for each input and output, or empty.
  std::vector<std::string> input_names, output_names;
  // One for each input and output, or empty: they are as in the graph.
  std::vector<DeclaredTensor> declared_inputs, declared_outputs;
  // The graph was made of several functions: parts of it that share no tensors are segments of their own.
  bool separate_parts = false;
  // The location of each operator in the file, in its order; empty for formats with better locations.
  std::vector<std::uint64_t> operator_offsets;
  // Owns the data of constants, unless they are in a file that the caller has mapped.
  std::shared_ptr<const void> memory;
};

}  // namespace slipway::tosa
