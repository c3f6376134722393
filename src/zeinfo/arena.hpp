// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Memory that only grows and is freed at once: an arena owns the lists of a model and its unescaped strings.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <span>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace slipway::zeinfo {

struct FreeMemory {
  void operator()(std::byte* memory) const { std::free(memory); }
};
using Memory = std::unique_ptr<std::byte, FreeMemory>;

class Arena {
 public:
  explicit Arena(std::size_t first_block = 4096) : next_block_(first_block) {}
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;

  // Aligned to 8 bytes, not initialised.
  std::byte* allocate(std::size_t size) {
    size = (size + 7) & ~std::size_t{7};
    if (size > left_) grow(size);
    std::byte* taken = free_;
    free_ += size;
    left_ -= size;
    used_ += size;
    return taken;
  }
  // Takes ownership of memory that was allocated elsewhere.
  std::byte* adopt(Memory memory, std::size_t size) {
    used_ += size;
    blocks_.push_back(std::move(memory));
    return blocks_.back().get();
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

  std::vector<Memory> blocks_;
  std::byte* free_ = nullptr;
  std::size_t left_ = 0;
  std::size_t used_ = 0;
  std::size_t next_block_;
};

// A stack of bytes, for lists that grow while they are read. It grows in place where the system supports that, and a
// list that is alone on it can be moved out without copying.
class Scratch {
 public:
  std::size_t size() const { return size_; }
  const std::byte* data() const { return memory_.get(); }
  void push(const std::byte* from, std::size_t size) {
    if (size > capacity_ - size_) grow(size);
    std::memcpy(memory_.get() + size_, from, size);
    size_ += size;
  }
  void shrink(std::size_t size) { size_ = size; }
  // Moves out all bytes; the stack is empty afterwards.
  Memory release();

 private:
  void grow(std::size_t more);

  Memory memory_;
  std::size_t size_ = 0;
  std::size_t capacity_ = 0;
};

}  // namespace slipway::zeinfo
