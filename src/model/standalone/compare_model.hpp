// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Compares the run of a whole model with the interpreter, segment by segment. Each graph gets the values that the
// device had at its inputs, so that differences of one segment do not affect another.
#pragma once

#include "model/standalone/compare.hpp"
#include "model/standalone/standalone.hpp"

namespace slipway::model {

struct OutputComparison {
  std::size_t segment = 0;
  std::string name;  // of the output of the model, or `resource 5`
  ValueComparison values;
};

struct ModelComparison {
  std::vector<OutputComparison> outputs;
  std::vector<std::string> left_out;  // why something was not compared
};

// `values`: those after the run of `alone`. Errors: those of the interpreter.
Result<ModelComparison> compare_model(const vgf::File& file, const Standalone& alone, const ModelValues& values);

}  // namespace slipway::model
