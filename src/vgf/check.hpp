// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The rules for VGF models beyond the structure of the file: docs/spec/vgf.md#level-m, except for the contents of graph
// modules, which module `tosa` reads.
#pragma once

#include "base/diagnostic.hpp"
#include "vgf/vgf.hpp"

namespace slipway::vgf {

// Reports all diagnostics. Kinds: file-format, out-of-range, unknown-value, file-mismatch, duplicate-name,
// binding-mismatch, unsupported.
void check_vgf(const File& file, Diagnostics& diagnostics);

// Size in bytes of a resource with a static shape; empty for a dynamic shape, an unknown format or an overflow.
Size byte_count(const Resource& resource);
// Whether the last dimension of a resource counts the components of texels: the shapes of images are [H, W, C] and
// [1, H, W, C], and those of texel buffers may end with C.
bool counts_components(const Resource& resource);
// Whether it is a storage, uniform or texel buffer.
bool is_buffer(const Resource& resource);
// Whether it is an image with or without a sampler.
bool is_image(const Resource& resource);
// Whether a dimension is dynamic.
bool is_dynamic(const Resource& resource);
// What shares storage: for each resource, the first one whose storage it has. That are the members of an alias group,
// and inputs and outputs of the model with one logical number, if no segment writes the output.
std::vector<std::uint32_t> storage_of(const File& file);
// The element type of a tensor resource; empty for formats that tensors cannot have (docs/spec/vgf.md#resources).
std::optional<tensor::ElementType> element_type(vk::Format format);

}  // namespace slipway::vgf
