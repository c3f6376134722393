// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a caller of lower_graph chooses.
#pragma once

#include "lower/device_facts.hpp"

namespace slipway::lower {

struct LowerOptions {
  bool fuse = true;
  bool fuse_attention = true;  // with `fuse`: also attention, where the device has a kernel for it; for comparisons
  // All kernels access buffers by address, so that a dispatch needs push constants but no descriptors. Needs
  // `device.addresses`.
  bool addresses_only = false;
  bool list_sites = false;  // for tuning: list what could be chosen, and run one dispatch at a time
  DeviceFacts device;
  std::uint64_t alignment = 256;     // of intermediates in the arena, bytes
  std::uint32_t max_groups = 65535;  // workgroups of a dispatch in one dimension
};

}  // namespace slipway::lower
