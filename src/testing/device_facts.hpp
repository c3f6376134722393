// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Facts of devices for which tests generate kernels without a device.
#pragma once

#include "lower/device_facts.hpp"

namespace slipway::testing {

// A GPU of usual size, without cooperative matrices.
inline lower::DeviceFacts gpu_facts() {
  lower::DeviceFacts facts{.addresses = true};
  facts.subgroup_size = 32;
  facts.shared_memory = 49152;
  facts.max_invocations = 1024;
  return facts;
}

inline const lower::DeviceFacts kGpu = gpu_facts();

// A CPU whose vectors have eight lanes.
inline lower::DeviceFacts cpu_facts() {
  lower::DeviceFacts facts{.addresses = true};
  facts.lanes = 8;
  facts.subgroup_size = 8;
  return facts;
}

}  // namespace slipway::testing
