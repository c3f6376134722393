// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Shaders for storage images and texel buffers whose format is not the one that the shader declares
// (docs/spec/scenario.md#images).
#pragma once

#include <map>
#include <span>
#include <string>

#include "base/diagnostic.hpp"
#include "base/vk_names.hpp"
#include "launch/plan/plan.hpp"

namespace slipway::launch {

// Formats by the variable of a shader.
using ImageFormats = std::map<spirv::Id, vk::Format>;

// Whether a shader that declares texels of one format can access texels of another: their numbers are of the same kind.
bool is_accessible_as(vk::Format declared, vk::Format image);

// The storage images and texel buffers among the bindings whose format differs from the declared one.
ImageFormats other_image_formats(const Shader& shader, std::span<const Binding> bindings, const Plan& plan);
// The shader, rewritten for the formats.
Result<Shader> with_image_formats(const Shader& shader, const ImageFormats& formats);
// Text that differs for different formats.
std::string key_of(const ImageFormats& formats);

}  // namespace slipway::launch
