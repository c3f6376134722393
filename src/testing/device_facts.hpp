// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Facts of devices for which tests generate kernels without a device.
#pragma once

#include "lower/device_facts.hpp"

namespace slipway::testing {

// A large GPU, without cooperative matrices.
inline lower::DeviceFacts gpu_facts() {
  lower::DeviceFacts facts{.addresses = true};
  facts.subgroup_size = 32;
  facts.shared_memory = 49152;
  facts.max_invocations = 1024;
  facts.multiprocessors = 132;
  facts.invocations_of_multiprocessor = 2048;
  return facts;
}

// A small integrated GPU: subgroups of 4 or 8 invocations, the minimum of shared memory and invocations, no buffers by
// address, and no accesses of 8 or 16 bits.
inline lower::DeviceFacts small_gpu_facts(std::uint32_t subgroup_size) {
  lower::DeviceFacts facts;
  facts.narrow_accesses = false;
  facts.longs = false;
  facts.subgroup_size = subgroup_size;
  facts.shared_memory = 16384;
  facts.max_invocations = 128;
  facts.multiprocessors = 4;
  facts.invocations_of_multiprocessor = 512;
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
