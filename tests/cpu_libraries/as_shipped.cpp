// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A library that declares structures with the members of those of XRT: uses no header of Slipway, and has no
// slipway_cpu_library_abi.
#include <any>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace elsewhere {
struct found {
  std::uint32_t num_args;
  std::function<void(std::vector<std::any>&)> callable;
};
struct init {
  std::function<void(const std::string&, found*)> lookup_fn;
};
}  // namespace elsewhere

extern "C" __attribute__((visibility("default"))) void library_init(elsewhere::init* library) {
  library->lookup_fn = [](const std::string&, elsewhere::found* out) {
    out->num_args = 1;
    out->callable = [](std::vector<std::any>& values) { values.at(0) = std::any_cast<int>(values.at(0)) * 2; };
  };
}
