// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "launch/readback.hpp"

#include <algorithm>

namespace slipway::launch {

MutableBytes Readback::copy_of(ResourceIndex index, std::uint64_t size) {
  const MutableBytes bytes(copies_.emplace_back(std::make_unique_for_overwrite<std::byte[]>(size)).get(), size);
  bytes_[index] = bytes;
  return bytes;
}

void Readback::detach() {
  for (auto& [index, bytes] : bytes_) {
    const auto is_copy = [&](const auto& copy) { return copy.get() == bytes.data(); };
    if (std::ranges::any_of(copies_, is_copy)) continue;
    const Bytes shown = bytes;
    std::ranges::copy(shown, copy_of(index, shown.size()).begin());
  }
}

}  // namespace slipway::launch
