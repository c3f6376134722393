// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Images with a buffer copy (resources.hpp) and what lies in that buffer's memory see each other's writes: before a
// step uses one of them, the other is copied there when it is newer.
//
// Copies have full barriers around them; nothing is copied where nothing was written since the last copy.
#pragma once

#include <vector>

#include "executors/vulkan/resources/resources.hpp"
#include "gpu/commands/commands.hpp"
#include "launch/plan/accesses.hpp"
#include "launch/plan/layouts.hpp"

namespace slipway::launch {

class TexelCopies {
 public:
  TexelCopies(const Plan& plan, const Resources& resources);

  // An image with initial contents keeps them; then no other resource of its group has initial contents. Other images
  // get what is in the shared memory: contents of tensors, or zeros.
  void after_upload();
  // Around a dispatch or draw.
  void before(gpu::CommandList& list, const Step& step, const ImageLayouts& layouts);
  void after(const Step& step);
  // Makes both equal, for what is read when the steps have ended.
  void finish(gpu::CommandList& list, const ImageLayouts& layouts);

 private:
  enum class Newer { Neither, Image, Shadow };
  struct Pair {
    ResourceIndex image = 0;
    const gpu::Buffer* shadow = nullptr;
    std::vector<ResourceIndex> overlapping;  // buffers that share bytes with the shadow
    Newer newer = Newer::Neither;
  };

  void copy(gpu::CommandList& list, Pair& pair, const ImageLayouts& layouts) const;

  const Plan& plan_;
  const Resources& resources_;
  std::vector<Pair> pairs_;
};

}  // namespace slipway::launch
