// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cstddef>
#include <cstdint>

#include "tensor/files/ktx2.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace slipway::tensor;
  const auto texture = parse_ktx2(std::as_bytes(std::span(data, size)), "fuzz.ktx2");
  if (!texture) return 0;
  constexpr std::uint64_t kMaxLevel = 1 << 20;  // deflated levels may claim a thousand times their bytes
  for (std::size_t i = 0; i < texture->levels.size(); ++i) {
    const Ktx2Level& level = texture->levels[i];
    if (level.size > kMaxLevel) continue;
    std::vector<std::byte> device(level.size);
    const bool ok = read_ktx2_level(*texture, "fuzz.ktx2", i, device).has_value();
    if (!ok || i != 0 || texture->format->is_block()) continue;
    // What is written can be read again.
    std::vector<std::byte> written = ktx2_header(*texture->format, texture->extent, texture->layers);
    written.append_range(device);
    const auto again = parse_ktx2(written, "again.ktx2");
    if (!again || again->layers != texture->layers || again->extent != texture->extent) __builtin_trap();
  }
  return 0;
}
