// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Clocks and temperature of a device, where its driver reports them: sysfs of Linux for CPUs and for GPUs of AMD and
// Intel, NVIDIA's management library (NVML), opened at run time. Vulkan has no query for them.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "base/system/files.hpp"
#include "vk/snapshot.hpp"

namespace slipway::cli {

// Right after work, because clocks fall soon.
struct DeviceState {
  std::optional<double> clock_mhz;         // of the cores; of a CPU, of the fastest one
  std::optional<double> memory_clock_mhz;  // of a GPU
  std::optional<double> temperature_c;     // degrees Celsius

  bool is_known() const { return clock_mhz || memory_clock_mhz || temperature_c; }
};

struct DeviceStateSources {
  Path sysfs = "/sys";
  // Finds a function of NVML by its name; null: it is not there.
  std::function<void*(const char*)> nvml;
};
// Those of this machine. The library stays open.
DeviceStateSources device_state_sources();

// Members that are not known are absent. A GPU of which the machine has several of the same kind is only known if it is
// NVIDIA's, because sysfs does not name them as Vulkan does. `device` null: the CPU.
DeviceState read_device_state(const vk::Snapshot* device, const DeviceStateSources& sources);

// `1980 MHz, 54 C`, or empty.
std::string device_state_text(const DeviceState& state);

}  // namespace slipway::cli
