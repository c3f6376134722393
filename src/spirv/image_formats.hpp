// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Storage images that are bound as another format than the shader declares (docs/spec/scenario.md#images).
#pragma once

#include <map>

#include "base/vk_names.hpp"
#include "spirv/module.hpp"

namespace slipway::spirv {

// The module with other formats of storage images, by variable. An image type gets the format that all of its variables
// have. Where they differ, and where SPIR-V has no name for the format, it becomes `Unknown`, with the capabilities to
// read and write without a format. A format whose numbers are not of the type that the shader reads makes the module
// invalid.
Words with_image_formats(const Module& module, const std::map<Id, vk::Format>& formats);

}  // namespace slipway::spirv
