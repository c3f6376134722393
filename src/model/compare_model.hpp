// A run of a whole model beside the interpreter, segment by segment: each graph is given what the device had at its
// inputs, so that one segment's differences are not another's.
#pragma once

#include "model/compare.hpp"
#include "model/standalone.hpp"

namespace slipway::model {

struct OutputComparison {
  std::size_t segment = 0;
  std::string name;  // of the model's output, or `resource 5`
  ValueComparison values;
};

struct ModelComparison {
  std::vector<OutputComparison> outputs;
  std::vector<std::string> left_out;  // why something was not compared
};

// `values` are those that the run of `alone` has left. Errors: those of the interpreter.
Result<ModelComparison> compare_model(const vgf::File& file, const Standalone& alone, const ModelValues& values);

}  // namespace slipway::model
