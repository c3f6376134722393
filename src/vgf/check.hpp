// What must hold in a VGF model beyond the structure of the file: level M of VGF page 4, except for what is inside
// graph modules, which module `tosa` reads.
#pragma once

#include "base/diagnostic.hpp"
#include "vgf/vgf.hpp"

namespace slipway::vgf {

struct CheckSettings {
  // The model is about to run: what only warns otherwise (an output in no descriptor set, no workgroups) is an error.
  bool running = false;
};

// Collects all problems. Kinds: file-format, out-of-range, unknown-value, file-mismatch, duplicate-name,
// binding-mismatch, unsupported.
void check_vgf(const File& file, CheckSettings settings, Diagnostics& diagnostics);

// Bytes of a resource with a static shape; empty for a dynamic one, an unknown format or an overflow.
Size byte_count(const Resource& resource);
// Whether a dimension is dynamic.
bool is_dynamic(const Resource& resource);
// The element type of a tensor resource; none for formats that tensors do not have (page 3.4).
std::optional<tensor::ElementType> element_type(vk::Format format);

}  // namespace slipway::vgf
