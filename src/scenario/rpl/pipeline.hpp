// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The Vulkan objects of an RPL pipeline, from its metadata alone (docs/spec/rpl.md#metadata).
#pragma once

#include "rpl/metadata/metadata.hpp"
#include "vk/graphics_state.hpp"
#include "vk/pipeline_layout.hpp"

namespace slipway::scenario {

vk::GraphicsState graphics_state(const rpl::Metadata& metadata);

vk::AttachmentFormats attachment_formats(const rpl::Metadata& metadata);

// All four sets, including empty ones. Every binding is visible to every stage of the pipeline's type.
vk::PipelineLayoutInfo pipeline_layout(const rpl::Metadata& metadata, std::string name);

}  // namespace slipway::scenario
