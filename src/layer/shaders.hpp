// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Modules with graphs, which the driver does not know.
#pragma once

#include <volk.h>

#include <optional>

#include "spirv/module.hpp"
#include "spirv/reflect/reflect.hpp"

namespace slipway::layer {

class LayerDevice;

struct GraphModule {
  spirv::Words words;
};

// The values of specialization constants by id.
spirv::Specialization values_of(const VkSpecializationInfo& info);

// The module of a graph pipeline: a handle, or words in the chain. Empty if it is neither.
std::optional<spirv::Words> graph_words(const LayerDevice& device,
                                        const VkDataGraphPipelineShaderModuleCreateInfoARM& info);

}  // namespace slipway::layer
