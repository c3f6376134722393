// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Views of bytes that belong to the caller: what std::span<const std::byte> is from C++20 on.
#pragma once

#include <cstddef>
#include <iterator>
#include <type_traits>
#include <utility>

namespace slipway {

// The bytes of a contiguous range of trivially copyable elements: an array, std::vector, std::array, std::span...
// Several threads may use one while no thread writes to the bytes.
//
//   std::vector<float> pixels(64);
//   scenario.set_contents("input", pixels);  // 256 bytes
class ByteView {
 public:
  constexpr ByteView() = default;
  ByteView(const void* data, std::size_t size) : data_(static_cast<const std::byte*>(data)), size_(size) {}
  template <class Range, class Element = std::remove_pointer_t<decltype(std::data(std::declval<const Range&>()))>,
            class = decltype(std::size(std::declval<const Range&>())),
            class = std::enable_if_t<std::is_trivially_copyable<Element>::value>>
  ByteView(const Range& range) : ByteView(std::data(range), std::size(range) * sizeof(Element)) {}

  const std::byte* data() const { return data_; }
  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  const std::byte* begin() const { return data_; }
  const std::byte* end() const { return data_ + size_; }

 private:
  const std::byte* data_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace slipway
