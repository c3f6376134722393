// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cstddef>
#include <cstdint>

#include "recipe/xclbin/print.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace slipway;
  Diagnostics diagnostics;
  const auto file = recipe::xclbin::read_xclbin(std::as_bytes(std::span(data, size)), "fuzz.xclbin", diagnostics);
  if (!file) return 0;
  recipe::xclbin::print_xclbin(*file);
  json::Writer out;
  recipe::xclbin::write_xclbin(*file, out);
  return 0;
}
