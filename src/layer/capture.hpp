// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SLIPWAY_LAYER_CAPTURE: the modules that an application passes, as files for `slipway run` and `slipway inspect`.
#pragma once

#include "layer/graphs.hpp"

namespace slipway::layer {

// Writes `shader-HASH.spv`.
void capture_shader(const LayerDevice& device, std::span<const std::uint32_t> words);
// Writes `graph-HASH.spv`, its constants as `graph-HASH.N.npy`, and `graph-HASH.json`, a scenario that runs the graph
// with the shapes of the pipeline.
void capture_graph(const LayerDevice& device, const spirv::Words& words, const tosa::Graph& graph,
                   const BoundTensors& tensors);

}  // namespace slipway::layer
