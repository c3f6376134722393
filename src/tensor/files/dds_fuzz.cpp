// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cstddef>
#include <cstdint>

#include "tensor/files/dds.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace slipway::tensor;
  const auto texture = parse_dds(std::as_bytes(std::span(data, size)), "fuzz.dds");
  if (!texture) return 0;
  for (std::size_t i = 0; i < texture->levels.size(); ++i) {
    const auto [width, height, depth] = texture->levels[i].extent;
    for (const FormatInfo& format : known_formats()) {
      if (!is_readable_as(*texture, format)) continue;
      std::vector<std::byte> device(level_bytes(format, width, height, depth).value() * texture->layers);
      read_dds_level(*texture, i, format, device);
      unpack(format, device);
      to_file_layout(format, device);
    }
  }
  return 0;
}
