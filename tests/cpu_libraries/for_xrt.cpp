// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A library for XRT: it takes XRT's own buffer objects, uses no header of Slipway, and has no slipway_cpu_library_abi.
#include <xrt/xrt_bo.h>

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

// Doubles words.
void twice(std::vector<std::any>& values) {
  auto buffer = std::any_cast<xrt::bo>(values.at(0));
  auto* words = buffer.map<std::uint32_t*>();
  for (std::size_t i = 0; i < buffer.size() / 4; ++i) words[i] *= 2;
}
}  // namespace elsewhere

extern "C" __attribute__((visibility("default"))) void library_init(elsewhere::init* library) {
  library->lookup_fn = [](const std::string&, elsewhere::found* out) { *out = {1, elsewhere::twice}; };
}
