// Tensors that see the texels of an image have gaps between their rows, as many bytes as the device wants (scenario
// page 3.11). Kernels of graphs take packed tensors: they get a packed copy, and what they make is copied back.
#pragma once

#include <map>

#include "launch/plan/plan.hpp"

namespace slipway::model {

class PackedRows {
 public:
  // The buffer that is packed: the resource itself, or one beside it that is made when it has to be.
  launch::ResourceIndex packed(launch::Plan& plan, launch::ResourceIndex resource);

  // Adds the step that copies a resource into its packed buffer, or back. Nothing for a resource that is packed.
  void gather(launch::Plan& plan, launch::ResourceIndex resource, const launch::Origin& origin);
  void scatter(launch::Plan& plan, launch::ResourceIndex resource, const launch::Origin& origin);

 private:
  std::map<launch::ResourceIndex, launch::ResourceIndex> buffers_;
};

}  // namespace slipway::model
