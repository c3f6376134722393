// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SLIPWAY_LAYER_CAPTURE: the modules that an application passes, as files for `slipway run` and `slipway inspect`.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "layer/graphs/graphs.hpp"
#include "spirv/reflect/reflect.hpp"

namespace slipway::layer {

class RecordedDispatch;  // recorder.hpp
struct RecordedWork;

// A shader with tensors that was written.
struct CapturedShader {
  std::string name;  // `shader-HASH`
  std::shared_ptr<const spirv::Reflection> reflection;
  std::shared_ptr<const std::vector<std::byte>> code;
  // Of a pipeline:
  std::string entry;
  spirv::Specialization specialization;
};

// Writes `shader-HASH.spv`, and `shader-HASH.json`, a scenario with the shader as a resource. Nothing if capturing is
// off or the module cannot be understood.
std::optional<CapturedShader> capture_shader(const LayerDevice& device, const spirv::Module& module);
// What is recorded of a dispatch.
struct CapturedDispatch {
  std::shared_ptr<const RecordedWork> work;
  std::vector<TensorRegion> tensors;
};
// Writes `dispatch-HASH.json`, a scenario that runs a compute shader with the tensors, the push constants and the
// workgroups of a dispatch. Nothing for a shader that has other resources, too.
std::optional<CapturedDispatch> capture_dispatch(const LayerDevice& device, const CapturedShader& shader,
                                                 const CommandState& state, const std::array<std::uint32_t, 3>& groups);
// Writes `graph-HASH.spv`, its constants as `graph-HASH.N.npy`, and `graph-HASH.json`, a scenario that runs the graph
// with the shapes of the pipeline. Nothing if capturing is off. What is recorded of the graph's dispatches, inputs,
// then outputs; null if they are not recorded.
std::shared_ptr<const RecordedWork> capture_graph(const LayerDevice& device, const spirv::Words& words,
                                                  const tosa::Graph& graph, const BoundTensors& tensors);

}  // namespace slipway::layer
