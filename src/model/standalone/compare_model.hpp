// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Compares the run of a whole model with the interpreter, segment by segment. Each graph gets the values that the
// device had at its inputs, so that differences of one segment do not affect another.
#pragma once

#include "model/standalone/compare_layers.hpp"
#include "model/standalone/standalone.hpp"

namespace slipway::model {

struct OutputComparison {
  std::size_t segment = 0;
  std::string name;  // of the output of the model, or `resource 5`
  ValueComparison values;
};

// The kernels of one segment.
struct SegmentLayers {
  std::size_t segment = 0;
  std::vector<LayerComparison> layers;
};

struct ModelComparison {
  std::vector<OutputComparison> outputs;
  std::vector<SegmentLayers> layers;  // if intermediates are given
  std::vector<std::string> left_out;  // why something was not compared
};

// `values`: those after the run of `alone`. `intermediates`: those of its graphs, to compare each kernel too; null: not
// wanted. Errors: those of the interpreter.
Result<ModelComparison> compare_model(const vgf::File& file, const Standalone& alone, const ModelValues& values,
                                      const Intermediates* intermediates = nullptr);

}  // namespace slipway::model
