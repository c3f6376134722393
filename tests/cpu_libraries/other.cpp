// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A second library with a function called `add`, and an exported helper of a common name.
#include <slipway/cpu_library.hpp>

extern "C" SLIPWAY_CPU_LIBRARY int open_helper() { return 2; }

extern "C" SLIPWAY_CPU_LIBRARY void library_init(xrt::cpu::library_init_args* args) {
  args->lookup_fn = [](const std::string&, xrt::cpu::lookup_args* out) {
    *out = {1, [](std::vector<std::any>& values) { values.at(0) = std::any_cast<int>(values.at(0)) + 1000; }};
  };
}
