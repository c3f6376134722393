// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A growing buffer of SPIR-V words. Its memory is not cleared and never shrinks, so that one buffer serves many modules
// without allocating again.
#pragma once

#include <algorithm>
#include <cstring>
#include <memory>

#include "spirv/module.hpp"

namespace slipway::spirv {

inline constexpr std::size_t kMaxInstruction = 0xffff;  // words: the count has 16 bits

class WordBuffer {
 public:
  void clear() { size_ = longest_ = 0; }
  std::size_t size() const { return size_; }
  // The words of the longest instruction. One of more than kMaxInstruction is not valid.
  std::size_t longest() const { return longest_; }
  WordSpan words() const { return {data_.get(), size_}; }
  std::uint32_t& operator[](std::size_t index) { return data_[index]; }

  // Space for `count` more words, which the caller fills; valid until the next call.
  std::uint32_t* grow(std::size_t count) {
    if (capacity_ - size_ < count) [[unlikely]] {
      enlarge(count);
    }
    std::uint32_t* const at = data_.get() + size_;
    size_ += count;
    return at;
  }

  // One instruction. Operands are words or enumerants.
  template <class... Operand>
  void op(spv::Op op, Operand... operands) {
    std::uint32_t* at = grow(sizeof...(operands) + 1);
    *at = first_word(op, sizeof...(operands) + 1);
    ((*++at = static_cast<std::uint32_t>(operands)), ...);
  }
  // The same with a list of further words after the fixed operands.
  template <class... Operand>
  void op_list(spv::Op op, WordSpan list, Operand... operands) {
    const std::size_t count = sizeof...(operands) + 1 + list.size();
    std::uint32_t* at = grow(count);
    *at = first_word(op, count);
    ((*++at = static_cast<std::uint32_t>(operands)), ...);
    ++at;
    for (const std::uint32_t word : list) *at++ = word;
  }
  // The same with a string, then a list, at the end.
  template <class... Operand>
  void op_text(spv::Op op, std::string_view text, WordSpan list, Operand... operands) {
    const std::size_t string = string_words(text);
    const std::size_t count = sizeof...(operands) + 1 + string + list.size();
    std::uint32_t* at = grow(count);
    *at = first_word(op, count);
    ((*++at = static_cast<std::uint32_t>(operands)), ...);
    ++at;
    at[string - 1] = 0;  // the terminator and the padding of the last word
    if (!text.empty()) std::memcpy(at, text.data(), text.size());
    at += string;
    for (const std::uint32_t word : list) *at++ = word;
  }
  void append(WordSpan words) {
    if (!words.empty()) std::memcpy(grow(words.size()), words.data(), words.size_bytes());
  }

 private:
  std::uint32_t first_word(spv::Op op, std::size_t count) {
    longest_ = std::max(longest_, count);
    return static_cast<std::uint32_t>(count) << 16 | static_cast<std::uint32_t>(op);
  }
  void enlarge(std::size_t count);

  std::unique_ptr<std::uint32_t[]> data_;
  std::size_t size_ = 0;
  std::size_t capacity_ = 0;
  std::size_t longest_ = 0;
};

}  // namespace slipway::spirv
