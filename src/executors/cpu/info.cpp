// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "executors/cpu/info.hpp"

#include "cpu/library.hpp"
#include "cpu/target.hpp"

namespace slipway::launch {

bool has_cpu_engine() { return cpu::has_engine() && !cpu::compiler_file().empty(); }

ExecutorInfo cpu_info() {
  const std::string name = cpu::engine_name();
  return {.kind = kCpuDevice, .name = name, .driver = {}, .key = {name}, .vulkan = {}, .runs_graphs_on_host = true};
}

}  // namespace slipway::launch
