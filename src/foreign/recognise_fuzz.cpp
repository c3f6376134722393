// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cstddef>
#include <cstdint>

#include "foreign/recognise.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace slipway;
  const Bytes bytes = std::as_bytes(std::span(data, size));
  for (const char* path : {"file", "model.onnx", "shader.slang"}) {
    const foreign::ForeignFormat* format = foreign::recognise({.bytes = bytes, .path = path});
    if (format) (void)foreign::explain(*format, path);
  }
  return 0;
}
