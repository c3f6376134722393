// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Missing mip levels from the level above them: source coordinate (x + 0.5) * source width / width, bilinear, clamped
// (docs/spec/scenario.md#images). A blit where the queue has graphics, else a compute shader with the same result.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "base/diagnostic.hpp"
#include "gpu/commands/commands.hpp"

namespace slipway::gpu {

// What the compute shader needs; must live until the commands have been executed.
class MipWork {
 private:
  friend struct MipRecorder;
  std::vector<Owned<VkImageView_T>> views_;
  Owned<VkSampler_T> sampler_;
  std::unique_ptr<PipelineLayout> layout_;  // the pipeline points to it
  std::optional<Pipeline> pipeline_;
  DescriptorSets sets_;
};

// Records the making of all levels from `first_level` (at least 1) on, with the barriers between them and around. The
// image is in General. Formats that cannot be filtered linearly are sampled at the nearest texel.
Result<MipWork> record_mips(const Device& device, CommandList& commands, const Image& image, std::uint32_t first_level);

}  // namespace slipway::gpu
