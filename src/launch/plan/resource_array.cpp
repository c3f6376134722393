// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "launch/plan/resource_array.hpp"

#include "tensor/format.hpp"

namespace slipway::launch {

std::uint64_t contents_size(const Resource& resource) {
  if (const auto* buffer = std::get_if<Buffer>(&resource.kind)) return buffer->size;
  const auto& image = std::get<Image>(resource.kind);
  const tensor::FormatInfo* format = tensor::find_format(tensor::created_as(image.format));
  return format ? tensor::level_bytes(*format, image.extent[0], image.extent[1], image.slices()).value_or(0) : 0;
}

ResourceArray array_of(const Resource& resource) {
  const auto* image = std::get_if<Image>(&resource.kind);
  const tensor::FormatInfo* format = image ? tensor::find_format(tensor::created_as(image->format)) : nullptr;
  if (!format || format->is_block()) return {.shape = {static_cast<std::int64_t>(contents_size(resource))}};
  ResourceArray array{format->stored, {image->extent[1], image->extent[0], format->stored_components}};
  if (image->slices() > 1) array.shape.insert(array.shape.begin(), image->slices());
  return array;
}

}  // namespace slipway::launch
