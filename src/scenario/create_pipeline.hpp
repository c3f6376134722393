// The Vulkan objects of an RPL pipeline, made for real: the proof that its metadata are enough (RPL page 3.15).
//
//   gpu::Needs needs = pipeline_needs(metadata);
//   Result<std::string> report = create_pipeline(device, metadata, modules, "tinted");
#pragma once

#include <span>
#include <string>

#include "base/diagnostic.hpp"
#include "gpu/device/device.hpp"
#include "rpl/metadata.hpp"
#include "spirv/module.hpp"

namespace slipway::scenario {

// What a device must have: the features that the metadata list, a queue with graphics.
gpu::Needs pipeline_needs(const rpl::Metadata& metadata);

// Set layouts, the pipeline layout and, when there are entry points, the pipeline; a line for each, in the order of
// their creation. `modules` are the words of `metadata.code`, in its order. Errors: device-lacks, naming the vertex or
// attachment formats, limits and features that the device does not have; file-format for code that is no SPIR-V;
// file-mismatch for metadata that give a number twice or do not fit their code;
// unsupported for metadata without sets or attributes (--skip-sets, --skip-attributes).
Result<std::string> create_pipeline(const gpu::Device& device, const rpl::Metadata& metadata,
                                    std::span<const spirv::Words> modules, const std::string& name);

}  // namespace slipway::scenario
