// The Vulkan objects of an RPL pipeline, from its metadata alone (RPL page 3.15, "Pipeline creation from it").
#pragma once

#include "gpu/pipeline/descriptors.hpp"
#include "gpu/pipeline/graphics_state.hpp"
#include "rpl/metadata.hpp"

namespace slipway::scenario {

gpu::GraphicsState graphics_state(const rpl::Metadata& metadata);

gpu::AttachmentFormats attachment_formats(const rpl::Metadata& metadata);

// All four sets, empty ones too. Every stage of the pipeline's type sees every binding.
gpu::PipelineLayoutInfo pipeline_layout(const rpl::Metadata& metadata, std::string name);

}  // namespace slipway::scenario
