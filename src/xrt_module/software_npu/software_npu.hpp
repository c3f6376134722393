// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What tests set and see of the software NPU. It is one object per process, in the library that XRT opens as its device
// library; `software_npu()` finds it. Programs that a test starts take the values from the environment.
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <string>
#include <vector>

#include "platform/library.hpp"

namespace slipway::recipe::software_npu {

struct State {
  // Settings. Commands (runs, also those of a run list) count from 1 since the last `reset`; 0: none.
  std::atomic<std::uint32_t> devices = 1;  // SOFTWARE_NPU_DEVICES
  std::atomic<std::uint64_t> fail_at = 0;  // SOFTWARE_NPU_FAIL_AT: the command ends with an error
  std::atomic<std::uint64_t> hang_at = 0;  // SOFTWARE_NPU_HANG_AT: this one and later ones wait until it is 0
  std::atomic<std::uint64_t> max_buffer = 1ull << 30;  // SOFTWARE_NPU_MAX_BUFFER: bytes

  // Counts since the last `reset`.
  std::atomic<std::uint64_t> commands = 0, lists = 0;
  std::atomic<std::uint64_t> syncs_to_device = 0, syncs_from_device = 0;
  std::atomic<std::uint64_t> allocated = 0;  // bytes of buffers
  std::mutex mutex;                          // guards what follows
  std::vector<std::uint32_t> device_of_run;  // by command
  std::string fault;                         // of the last transaction with one

  void reset() {
    devices = 1;
    fail_at = hang_at = 0;
    max_buffer = 1ull << 30;
    commands = lists = syncs_to_device = syncs_from_device = allocated = 0;
    const std::scoped_lock lock(mutex);
    device_of_run.clear();
    fault.clear();
  }
};

// The state of the software NPU, which XRT must have opened; null if XRT uses other devices.
inline State* software_npu() {
  void* const library = platform::loaded_library("libxrt_core.so.2");
  if (!library) return nullptr;
  const auto state = reinterpret_cast<State* (*)()>(platform::symbol(library, "slipway_software_npu"));
  platform::close_library(library);
  return state ? state() : nullptr;
}

}  // namespace slipway::recipe::software_npu
