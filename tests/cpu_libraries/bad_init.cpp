// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// BAD_INIT chooses the error: 1 throws, 2 sets nothing, 3 has an unknown buffer interface.
#include <slipway/cpu_function.hpp>
#include <stdexcept>

extern "C" __attribute__((visibility("default"))) void library_init(xrt::cpu::library_init_args* args) {
#if BAD_INIT == 1
  throw std::runtime_error("no licence");
#elif BAD_INIT == 3
  args->lookup_fn = [](const std::string&, xrt::cpu::lookup_args*) {};
#endif
  (void)args;
}
#if BAD_INIT == 3
extern "C" __attribute__((visibility("default"))) int slipway_cpu_library_abi() { return 9; }
#endif
