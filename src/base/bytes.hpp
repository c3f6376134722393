// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reading and writing little-endian bytes.
//
// A `ByteReader` never reads outside its bytes: a read past the end returns zero and sets `failed()`, which a caller
// may check once after several reads.
#pragma once

#include <bit>
#include <cstddef>
#include <cstring>
#include <span>
#include <string_view>
#include <type_traits>
#include <vector>

namespace slipway {

static_assert(std::endian::native == std::endian::little, "files are little-endian and are read in place");

using Bytes = std::span<const std::byte>;
using MutableBytes = std::span<std::byte>;

inline Bytes bytes_of(std::string_view text) { return std::as_bytes(std::span(text)); }
inline std::string_view text_of(Bytes bytes) { return {reinterpret_cast<const char*>(bytes.data()), bytes.size()}; }

template <class T>
  requires std::is_trivially_copyable_v<T>
T load(const std::byte* from) {
  T value;
  std::memcpy(&value, from, sizeof value);
  return value;
}

template <class T>
  requires std::is_trivially_copyable_v<T>
void store(std::byte* to, const T& value) {
  std::memcpy(to, &value, sizeof value);
}

class ByteReader {
 public:
  explicit ByteReader(Bytes bytes, std::size_t offset = 0) : bytes_(bytes), offset_(offset) {}

  template <class T>
  T read() {
    const Bytes at = take(sizeof(T));
    return at.empty() ? T{} : load<T>(at.data());
  }
  // The next `count` bytes. If fewer are left, the result is empty and the reader has failed.
  Bytes take(std::size_t count) {
    if (failed_ || offset_ > bytes_.size() || count > bytes_.size() - offset_) {
      failed_ = true;
      return {};
    }
    const Bytes taken = bytes_.subspan(offset_, count);
    offset_ += count;
    return taken;
  }
  void seek(std::size_t offset) { offset_ = offset; }
  std::size_t offset() const { return offset_; }
  std::size_t remaining() const { return offset_ > bytes_.size() ? 0 : bytes_.size() - offset_; }
  bool failed() const { return failed_; }

 private:
  Bytes bytes_;
  std::size_t offset_;
  bool failed_ = false;
};

class ByteWriter {
 public:
  template <class T>
    requires std::is_trivially_copyable_v<T>
  ByteWriter& write(const T& value) {
    return append(std::as_bytes(std::span(&value, 1)));
  }
  ByteWriter& append(Bytes bytes) {
    bytes_.insert(bytes_.end(), bytes.begin(), bytes.end());
    return *this;
  }
  ByteWriter& append(std::string_view text) { return append(bytes_of(text)); }
  ByteWriter& pad_to(std::size_t size) {
    if (bytes_.size() < size) bytes_.resize(size);
    return *this;
  }
  std::size_t size() const { return bytes_.size(); }
  Bytes bytes() const { return bytes_; }
  std::vector<std::byte> release() { return std::move(bytes_); }

 private:
  std::vector<std::byte> bytes_;
};

}  // namespace slipway
