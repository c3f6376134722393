// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tensors that view the texels of an image have gaps between their rows, whose size the device decides
// (docs/spec/scenario.md#tensors-and-memory-sharing). Kernels of graphs take packed tensors, so they work on a packed
// copy, and results are copied back.
#pragma once

#include <map>

#include "launch/plan/plan.hpp"

namespace slipway::model {

class PackedRows {
 public:
  // The packed buffer: the resource itself, or a copy that is added when it is needed.
  launch::ResourceIndex packed(launch::Plan& plan, launch::ResourceIndex resource);

  // Adds the step that copies a resource into its packed buffer, or back; nothing if the resource itself is packed.
  void gather(launch::Plan& plan, launch::ResourceIndex resource, const launch::Origin& origin);
  void scatter(launch::Plan& plan, launch::ResourceIndex resource, const launch::Origin& origin);

 private:
  std::map<launch::ResourceIndex, launch::ResourceIndex> buffers_;
};

}  // namespace slipway::model
