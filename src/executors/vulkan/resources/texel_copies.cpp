// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "executors/vulkan/resources/texel_copies.hpp"

#include <algorithm>

namespace slipway::launch {

TexelCopies::TexelCopies(const Plan& plan, const Resources& resources) : plan_(plan), resources_(resources) {
  if (resources.shadows().empty()) return;
  const std::vector<MemoryRange> ranges = memory_ranges(plan);
  for (const auto& [image, shadow] : resources.shadows()) {
    Pair pair{.image = image, .shadow = &shadow};
    for (ResourceIndex i = 0; i < ranges.size(); ++i) {
      if (i == image || !std::holds_alternative<Buffer>(plan.resources[i].kind)) continue;
      if (ranges[i].domain != ranges[image].domain) continue;
      if (ranges[i].begin < ranges[image].end && ranges[image].begin < ranges[i].end) pair.overlapping.push_back(i);
    }
    pairs_.push_back(std::move(pair));
  }
}

void TexelCopies::after_upload() {
  for (Pair& pair : pairs_) pair.newer = plan_.resources[pair.image].initial.empty() ? Newer::Shadow : Newer::Image;
}

void TexelCopies::before(gpu::CommandList& list, const Step& step, const ImageLayouts& layouts) {
  if (pairs_.empty()) return;
  for (const Access& access : accesses_of(plan_, step)) {
    for (Pair& pair : pairs_) {
      const bool stale = pair.newer == Newer::Image    ? std::ranges::contains(pair.overlapping, access.resource)
                         : pair.newer == Newer::Shadow ? access.resource == pair.image
                                                       : false;
      if (stale) copy(list, pair, layouts);
    }
  }
}

void TexelCopies::after(const Step& step) {
  if (pairs_.empty()) return;
  for (const Access& access : accesses_of(plan_, step)) {
    if (!access.writes) continue;
    for (Pair& pair : pairs_) {
      if (access.resource == pair.image) pair.newer = Newer::Image;
      if (std::ranges::contains(pair.overlapping, access.resource)) pair.newer = Newer::Shadow;
    }
  }
}

void TexelCopies::finish(gpu::CommandList& list, const ImageLayouts& layouts) {
  for (Pair& pair : pairs_) copy(list, pair, layouts);
}

void TexelCopies::copy(gpu::CommandList& list, Pair& pair, const ImageLayouts& layouts) const {
  if (pair.newer == Newer::Neither) return;
  const gpu::Image& image = resources_.image(pair.image);
  const gpu::BufferImageCopy whole{.layout = executed_layout(layouts.at(pair.image, 0))};
  list.begin_label("tensor and image made equal");
  list.full_barrier();
  if (pair.newer == Newer::Image)
    list.copy(image, *pair.shadow, whole);
  else
    list.copy(*pair.shadow, image, whole);
  list.full_barrier();
  list.end_label();
  pair.newer = Newer::Neither;
}

}  // namespace slipway::launch
