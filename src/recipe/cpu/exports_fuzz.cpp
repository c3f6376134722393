// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cstddef>
#include <cstdint>

#include "recipe/cpu/exports.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  slipway::Diagnostics diagnostics;
  slipway::recipe::cpu::check_library_file(std::as_bytes(std::span(data, size)), "fuzz.so", {}, diagnostics);
  return 0;
}
