// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "tensor/files/npz.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace slipway::tensor;
  const auto members = parse_npz(std::as_bytes(std::span(data, size)), "fuzz.npz");
  if (!members) return 0;
  std::size_t bytes = 0;
  for (const NpzMember& member : *members) {
    bytes += member.npy.size();
    if (!read_elements(member, member.npy, "fuzz.npz")) return 0;
  }
  // Members may be the same bytes of the file, many times.
  constexpr std::size_t kMaxBytes = 1 << 20;
  if (bytes > kMaxBytes) return 0;
  const auto file = write_npz(*members);
  if (!file) return 0;  // a very long name
  const auto again = parse_npz(*file, "again.npz");
  if (!again || again->size() != members->size()) __builtin_trap();
  for (std::size_t i = 0; i < members->size(); ++i) {
    if (!std::ranges::equal((*again)[i].npy, (*members)[i].npy)) __builtin_trap();
  }
  return 0;
}
