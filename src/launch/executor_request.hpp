// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What is asked of an executor before there is a plan (executors/open.hpp).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace slipway::launch {

struct ExecutorRequest {
  // `cpu`, or the index, UUID or a part of the name of a Vulkan device; empty: that of SLIPWAY_DEVICE, else the best
  // Vulkan device (docs/spec/scenario.md#decision-23).
  std::string selector;
  bool timestamps = false;
  // Of Vulkan devices:
  bool robustness = false;  // accesses to memory are checked
  // On a CPU, where an access outside a buffer would end the process, and the checks cost nothing that can be measured.
  bool robustness_on_cpus = false;
  std::uint32_t queues = 1;  // at most; more than one: work that only computes
  std::vector<std::string> disabled_extensions;
  bool debug_names = false;
  bool validate = false;       // under the validation layer, synchronisation included
  bool shader_prints = false;  // plans whose shaders print run with the validation layer, which shows it
};

}  // namespace slipway::launch
