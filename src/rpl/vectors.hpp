// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Operations on vectors for which the members of std::vector are slower.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <vector>

namespace slipway::rpl {

// Pops a stack down to its first `count` elements. vector::resize would be a call, because it can also grow.
template <typename T>
[[gnu::always_inline]] inline void truncate(std::vector<T>& stack, std::size_t count) {
  stack.erase(stack.begin() + static_cast<std::ptrdiff_t>(count), stack.end());
}

// Makes all bytes of `count` entries equal. (`assign` would write the entries one by one.)
template <class T>
void assign_bytes(std::vector<T>& entries, std::size_t count, int byte) {
  static_assert(std::is_trivially_copyable_v<T>);
  entries.resize(count);
  if (count != 0) std::memset(static_cast<void*>(entries.data()), byte, count * sizeof(T));
}
template <class T>
void assign_zero(std::vector<T>& entries, std::size_t count) {
  assign_bytes(entries, count, 0);
}
// `count` times kNone.
inline void assign_none(std::vector<std::uint32_t>& entries, std::size_t count) { assign_bytes(entries, count, 0xFF); }

}  // namespace slipway::rpl
