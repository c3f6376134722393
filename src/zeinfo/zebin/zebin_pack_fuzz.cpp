// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Any text as the manifest of an unpacked directory.
#include <cstdint>

#include "zeinfo/zebin/unpack.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace slipway;
  const std::string text(reinterpret_cast<const char*>(data), size);
  static_cast<void>(
      zebin::pack(make_source("zebin.json", text), [](const std::string& name) -> Result<std::vector<std::byte>> {
        return std::vector<std::byte>(name.size() * 8);
      }));
  return 0;
}
