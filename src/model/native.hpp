// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Native execution instead of emulation (docs/spec/scenario.md#devices-and-emulation): shaders with tensors on devices
// with VK_ARM_tensors, whole graphs on devices with VK_ARM_data_graph.
#pragma once

#include <memory>
#include <span>
#include <string>

#include "base/diagnostic.hpp"
#include "launch/plan/plan.hpp"
#include "tosa/graph.hpp"
#include "vk/snapshot.hpp"

namespace slipway::model {

// A tensor that a shader is to be bound to.
struct NativeTensor {
  vk::Format format = vk::Format::UNDEFINED;
  tensor::Shape shape;
};

// Why a shader cannot use tensors of the device, for example "the device does not have VK_ARM_tensors"; empty when it
// can.
std::string why_not_native(const vk::Snapshot& device, const launch::Shader& shader,
                           std::span<const NativeTensor> tensors);

// A graph as a shader of a plan, which the device runs natively.
struct NativeGraph {
  launch::Shader shader;
  std::vector<vk::TensorInfo> inputs, outputs;
};

// The graph must be static, with the data of its constants, which `owner` keeps alive; `words` is the module that it
// was read from, with its specialization constants fixed. The error is why the device cannot run it, as above.
std::expected<NativeGraph, std::string> native_graph(const vk::Snapshot& device, const tosa::Graph& graph,
                                                     std::shared_ptr<const spirv::Words> words, const std::string& name,
                                                     const launch::Origin& origin, std::shared_ptr<const void> owner);

// The index of a tensor of a buffer, which is added if the buffer has no equal one.
std::uint32_t add_tensor(launch::Plan& plan, launch::ResourceIndex buffer, vk::TensorInfo info);

// For `--emulate=never`: an error for each shader and graph of a plan that is emulated. `device` is the one that it was
// planned for.
void refuse_emulation(const launch::Plan& plan, const vk::Snapshot& device, Diagnostics& diagnostics);

}  // namespace slipway::model
