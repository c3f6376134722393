// A model as a file has it: a graph, and what belongs to it beyond the operators.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "tosa/graph.hpp"

namespace slipway::tosa {

struct Model {
  std::string file;  // that messages show
  Graph graph;
  // Of the model's interface; as many as inputs and outputs, or none.
  std::vector<std::string> input_names, output_names;
  // Where in the file each operator of the file stands, in its order; none for formats whose places say more.
  std::vector<std::uint64_t> operator_offsets;
  // What data of constants lies in, where that is not a file that the caller has mapped.
  std::shared_ptr<const void> memory;
};

}  // namespace slipway::tosa
