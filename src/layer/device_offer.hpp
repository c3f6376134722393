// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which of its extensions the layer offers on a device. No Vulkan.
#pragma once

#include <cstdint>
#include <string>

#include "vk/snapshot.hpp"

namespace slipway::layer {

struct Offer {
  bool tensors = false, graphs = false;
  bool flow = false;    // optical flow, besides graphs
  std::string missing;  // why not: "the feature `shaderInt64`"; empty when the driver offers them itself
  bool native = false;  // the driver offers both extensions, and they are not hidden
};

struct OfferOptions {
  bool force = false;             // hide the driver's own extensions
  std::uint32_t api_minor = ~0u;  // of the version 1.x that the application asks for
};

// `device` is the driver's.
Offer offer_of(const vk::Snapshot& device, const OfferOptions& options = {});

}  // namespace slipway::layer
