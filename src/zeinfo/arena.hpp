// Memory that only grows and goes away at once: the lists of a model and its unescaped strings live in one.
#pragma once

#include <cstddef>
#include <cstring>
#include <memory>
#include <span>
#include <string_view>
#include <type_traits>
#include <vector>

namespace slipway::zeinfo {

class Arena {
 public:
  explicit Arena(std::size_t first_block = 4096) : next_block_(first_block) {}
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;

  // Aligned to 8, not initialized.
  std::byte* allocate(std::size_t size) {
    size = (size + 7) & ~std::size_t{7};
    if (size > left_) grow(size);
    std::byte* taken = free_;
    free_ += size;
    left_ -= size;
    used_ += size;
    return taken;
  }
  template <class T>
    requires std::is_trivially_copyable_v<T>
  T* copy(std::span<const T> from) {
    static_assert(alignof(T) <= 8);
    std::byte* to = allocate(from.size_bytes());
    if (!from.empty()) std::memcpy(to, from.data(), from.size_bytes());
    return reinterpret_cast<T*>(to);
  }
  std::string_view copy(std::string_view text) {
    if (text.empty()) return {};
    std::byte* to = allocate(text.size());
    std::memcpy(to, text.data(), text.size());
    return {reinterpret_cast<const char*>(to), text.size()};
  }
  std::size_t used() const { return used_; }

 private:
  void grow(std::size_t size);

  std::vector<std::unique_ptr<std::byte[]>> blocks_;
  std::byte* free_ = nullptr;
  std::size_t left_ = 0;
  std::size_t used_ = 0;
  std::size_t next_block_;
};

}  // namespace slipway::zeinfo
