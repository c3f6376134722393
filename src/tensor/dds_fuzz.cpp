// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cstddef>
#include <cstdint>

#include "tensor/dds.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace slipway::tensor;
  const auto texture = parse_dds(std::as_bytes(std::span(data, size)), "fuzz.dds");
  if (!texture) return 0;
  for (const DdsLevel& level : texture->levels) {
    std::vector<std::byte> device(level_bytes(*texture->format, level.width, level.height).value());
    from_file_layout(*texture->format, level.bytes, device);
    unpack(*texture->format, device);
    to_file_layout(*texture->format, device);
  }
  return 0;
}
