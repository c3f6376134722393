// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Memory of the structures of slipway/rpl_structs.h: taken piece by piece, released together.
#pragma once

#include <cstring>
#include <memory>
#include <ranges>
#include <string_view>
#include <type_traits>
#include <vector>

#include "slipway/rpl_structs.h"

namespace slipway::rpl_c {

class Arena {
 public:
  template <class T>
  T* array(std::size_t count) {
    static_assert(std::is_trivially_copyable_v<T> && alignof(T) <= alignof(std::max_align_t));
    return count == 0 ? nullptr : new (take(count * sizeof(T))) T[count]();
  }
  template <class T>
  T& one() {
    return *array<T>(1);
  }
  rpl_text text(std::string_view from) {
    char* const to = static_cast<char*>(take(from.size() + 1));
    if (!from.empty()) std::memcpy(to, from.data(), from.size());
    to[from.size()] = 0;
    return make_text(to, from.size());
  }
  // `List` is one of the list structures; `fill(item)` makes the item of each.
  template <class List, class Range, class Fill>
  List list(const Range& from, Fill fill) {
    using Item = std::remove_const_t<std::remove_pointer_t<decltype(List::items)>>;
    List made{};
    made.count = static_cast<std::uint32_t>(std::ranges::size(from));
    Item* items = array<Item>(made.count);
    made.items = items;
    for (const auto& each : from) *items++ = fill(each);
    return made;
  }
  rpl_texts texts(const std::vector<std::string>& from) {
    return list<rpl_texts>(from, [this](const std::string& each) { return text(each); });
  }

 private:
  static rpl_text make_text(const char* data, std::size_t size) {
    rpl_text made{};
    made.data = data;
    made.size = static_cast<std::uint32_t>(size);
    return made;
  }
  void* take(std::size_t size) {
    constexpr std::size_t kAlignment = alignof(std::max_align_t), kBlock = 4096;
    size = (size + kAlignment - 1) / kAlignment * kAlignment;
    if (size > left_) {
      left_ = std::max(size, kBlock);
      next_ = blocks_.emplace_back(std::make_unique_for_overwrite<std::byte[]>(left_)).get();
    }
    void* const taken = next_;
    next_ += size;
    left_ -= size;
    return taken;
  }

  std::vector<std::unique_ptr<std::byte[]>> blocks_;
  std::byte* next_ = nullptr;
  std::size_t left_ = 0;
};

}  // namespace slipway::rpl_c
