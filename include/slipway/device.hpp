// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The Vulkan devices of the machine, and an opened device: one of them, or the CPU.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "slipway/problem.hpp"

namespace slipway {

struct DeviceInfo {
  std::uint32_t index = 0;  // in the list of the Vulkan loader; 0 for the CPU
  std::string name;
  std::string type;         // DiscreteGpu, IntegratedGpu, VirtualGpu, Cpu, Other
  std::string uuid;         // empty for the CPU
  std::string api_version;  // "1.4.354"; empty for the CPU
};

// Empty without a Vulkan loader or driver.
SLIPWAY_API Outcome<std::vector<DeviceInfo>> list_devices();

// An opened device. Several threads may run scenarios and models on it: they run one after another. After a time-out
// (RunOptions::timeout) it is opened again; the objects of the lost one are leaked. An object that was moved from may
// only be assigned or destroyed; other calls throw std::logic_error.
class SLIPWAY_API Device {
 public:
  // `selector`: `cpu` for the CPU engine, which runs graphs only; or an index, a UUID, or a part of the name; empty for
  // the environment variable SLIPWAY_DEVICE, else the first by type: discrete, integrated, virtual, CPU, other. Errors:
  // no-device if no device matches.
  static Outcome<Device> open(std::string_view selector = {});

  Device(Device&&) noexcept;
  Device& operator=(Device&&) noexcept;
  ~Device();

  const DeviceInfo& info() const;

  // For the other classes of this interface.
  struct State;
  State& state();

 private:
  explicit Device(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace slipway
