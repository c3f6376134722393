// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A pipeline that is made to see whether a device accepts it, and not used (Executor::make_pipeline).
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "vk/device_plan.hpp"
#include "vk/graphics_state.hpp"
#include "vk/pipeline_layout.hpp"

namespace slipway::launch {

struct PipelineShader {
  std::span<const std::uint32_t> words;  // SPIR-V, validated; empty: there is no such stage
  std::string entry;
};

struct GraphicsStages {
  PipelineShader vertex, fragment;
  vk::GraphicsState state;
  vk::AttachmentFormats formats;
};

struct PipelineRequest {
  std::string name;
  vk::Needs needs;  // of the device
  vk::PipelineLayoutInfo layout;
  PipelineShader compute;
  std::optional<GraphicsStages> graphics;  // instead of `compute`; without shaders only the layout is made
};

}  // namespace slipway::launch
