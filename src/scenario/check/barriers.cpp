// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Barriers: what they name, and ranges within it (docs/spec/scenario.md#barriers-and-hazards).
#include "base/checked.hpp"
#include "base/format.hpp"
#include "scenario/check/context.hpp"

namespace slipway::scenario {
namespace {

void check_buffer_barrier(Context& context, const BufferBarrier& barrier) {
  const Buffer* buffer = context.follow<Buffer>(barrier.buffer);
  if (!buffer) return;
  const Size end = checked_add(barrier.offset, barrier.size);
  if (end && *end <= buffer->size) return;
  context
      .error(barrier.at["size"], DiagnosticKind::OutOfRange,
             formatted("the barrier covers {} bytes from byte {}, but buffer `{}` has {} bytes", barrier.size,
                       barrier.offset, buffer->uid, buffer->size))
      .note(formatted("buffer `{}` is here", buffer->uid), buffer->at["size"].location());
}

void check_range(Context& context, const ImageBarrier& barrier, const Image& image, std::uint64_t base,
                 std::uint64_t count, std::uint32_t most, std::string_view unit) {
  if (base + count <= most) return;
  context
      .error(barrier.range.at, DiagnosticKind::OutOfRange,
             formatted("the barrier covers {} {}s from {} {}, but image `{}` has {}", count, unit, unit, base,
                       image.uid, most))
      .note(formatted("image `{}` is here", image.uid),
            location_in(image.at, unit == "layer" && image.layers > 1 ? "layers" : "mips"));
}

void check_image_barrier(Context& context, const ImageBarrier& barrier) {
  const Image* image = context.follow<Image>(barrier.image);
  if (!image) return;
  const SubresourceRange& range = barrier.range;
  check_range(context, barrier, *image, range.base_mip_level, range.level_count, image->mips, "level");
  check_range(context, barrier, *image, range.base_array_layer, range.layer_count, image->layers, "layer");
}

}  // namespace

void check_barriers(Context& context) {
  for (const Resource& resource : context.scenario.resources) {
    if (const auto* buffer = std::get_if<BufferBarrier>(&resource)) check_buffer_barrier(context, *buffer);
    if (const auto* image = std::get_if<ImageBarrier>(&resource)) check_image_barrier(context, *image);
    if (const auto* tensor = std::get_if<TensorBarrier>(&resource)) context.follow<Tensor>(tensor->tensor);
  }
}

}  // namespace slipway::scenario
