// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "launch/plan/specialization.hpp"

#include <algorithm>

namespace slipway::launch {

spirv::Specialization values_of(std::span<const Specialization> constants) {
  spirv::Specialization values;
  for (const Specialization& constant : constants) {
    std::uint64_t bits = 0;
    std::ranges::copy(Bytes(constant.bytes).first(std::min(constant.bytes.size(), sizeof bits)),
                      std::as_writable_bytes(std::span(&bits, 1)).begin());
    values[constant.id] = bits;
  }
  return values;
}

}  // namespace slipway::launch
