// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "model/cpu_device.hpp"

#include "base/format.hpp"
#include "cpu/library.hpp"
#include "cpu/target.hpp"

namespace slipway::model {

bool has_cpu_engine() { return cpu::has_engine() && !cpu::compiler_file().empty(); }

vk::Snapshot cpu_snapshot() {
  vk::Snapshot snapshot;
  const auto level = static_cast<std::size_t>(cpu::host_level());
  snapshot.name = formatted("{} (CPU engine, {})", cpu::host_name(), cpu::kLevelNames[level]);
  snapshot.type = vk::DeviceType::Cpu;
  return snapshot;
}

}  // namespace slipway::model
