// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Creates the Vulkan objects of an RPL pipeline, which proves that its metadata are sufficient
// (docs/spec/rpl.md#metadata).
//
//   Result<std::string> report = create_pipeline(executor, metadata, modules, "tinted");
#pragma once

#include <span>
#include <string>

#include "base/diagnostic.hpp"
#include "rpl/metadata/metadata.hpp"
#include "spirv/module.hpp"

namespace slipway::launch {
class Executor;
}
namespace slipway::vk {
struct Needs;
}

namespace slipway::scenario {

// What a device is opened with: the features that the metadata list, and a graphics queue.
vk::Needs pipeline_needs(const rpl::Metadata& metadata);

// Creates the set layouts, the pipeline layout and, if there are entry points, the pipeline. Returns a line for each in
// order of creation. `modules` are the SPIR-V words of `metadata.code`, in its order. Errors: device-lacks, naming the
// vertex or attachment formats, limits and features that the device does not have; file-format for code that is not
// SPIR-V; file-mismatch for metadata that use a number twice or do not match their code; unsupported for metadata
// without sets or attributes (--skip-sets, --skip-attributes).
Result<std::string> create_pipeline(launch::Executor& executor, const rpl::Metadata& metadata,
                                    std::span<const spirv::Words> modules, const std::string& name);

}  // namespace slipway::scenario
