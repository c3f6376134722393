// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Creates the Vulkan objects of an RPL pipeline, which proves that its metadata are sufficient
// (docs/spec/rpl.md#metadata).
//
//   vk::Needs needs = pipeline_needs(metadata);
//   Result<std::string> report = create_pipeline(device, metadata, modules, "tinted");
#pragma once

#include <span>
#include <string>

#include "base/diagnostic.hpp"
#include "gpu/device/device.hpp"
#include "rpl/metadata/metadata.hpp"
#include "spirv/module.hpp"

namespace slipway::scenario {

// The requirements for a device: the features that the metadata list, and a graphics queue.
vk::Needs pipeline_needs(const rpl::Metadata& metadata);

// Creates the set layouts, the pipeline layout and, if there are entry points, the pipeline. Returns a line for each in
// order of creation. `modules` are the SPIR-V words of `metadata.code`, in its order. Errors: device-lacks, naming the
// vertex or attachment formats, limits and features that the device does not have; file-format for code that is not
// SPIR-V; file-mismatch for metadata that use a number twice or do not match their code; unsupported for metadata
// without sets or attributes (--skip-sets, --skip-attributes).
Result<std::string> create_pipeline(const gpu::Device& device, const rpl::Metadata& metadata,
                                    std::span<const spirv::Words> modules, const std::string& name);

}  // namespace slipway::scenario
