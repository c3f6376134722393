// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Compares the run of a whole model with the interpreter or another device, segment by segment. Each graph gets the
// values that the device had at its inputs, so that differences of one segment do not affect another.
#pragma once

#include "model/standalone/compare_layers.hpp"
#include "model/standalone/standalone.hpp"
#include "tensor/compare.hpp"

namespace slipway::model {

struct Intermediates;

struct OutputComparison {
  std::size_t segment = 0;
  std::string name;  // of the output of the model, or `resource 5`
  ValueComparison values;
  std::optional<DeviceComparison> devices = std::nullopt;  // if another device takes the place of the interpreter
};

// The kernels of one segment.
struct SegmentLayers {
  std::size_t segment = 0;
  std::vector<LayerComparison> layers;
};

struct ModelComparison {
  std::vector<OutputComparison> outputs;
  std::vector<SegmentLayers> layers;  // if intermediates are given
  // Of the outputs of the model. One that depends on a shader is left out, because nothing checks the shader.
  tensor::ComparedOutputs compared;
};

// `values`: those after the run of `alone`. `intermediates`: those of its graphs, to compare each kernel too; null: not
// wanted. `other`: runs graphs on another device, which takes the place of the interpreter; empty: none. Errors: those
// of the interpreter and of the other device.
Result<ModelComparison> compare_model(const vgf::File& file, const Standalone& alone, const ModelValues& values,
                                      const Intermediates* intermediates = nullptr, const GraphRunner& other = {});

}  // namespace slipway::model
