// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cstddef>
#include <cstdint>

#include "tensor/files/npy.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  slipway::Diagnostics warnings;
  const auto array = slipway::tensor::parse_npy(std::as_bytes(std::span(data, size)), "fuzz.npy", warnings);
  if (!array) return 0;
  std::vector<std::byte> elements(array->payload.size());
  slipway::tensor::copy_elements(*array, elements);
  return 0;
}
