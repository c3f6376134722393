// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tensor/files/deflate.hpp"

#include <zlib.h>

#include <algorithm>
#include <limits>

namespace slipway::tensor {
namespace {

// The parameter `windowBits` of zlib: negative without a header.
int window_bits(DeflateForm form) { return form == DeflateForm::Raw ? -MAX_WBITS : MAX_WBITS; }

Bytef* zlib_pointer(Bytes bytes) { return const_cast<Bytef*>(reinterpret_cast<const Bytef*>(bytes.data())); }

}  // namespace

bool may_inflate_to(Bytes compressed, std::size_t size) {
  constexpr std::size_t kMaxFactor = 1032, kMinSize = 64;  // deflate cannot do better
  return size <= kMinSize || (size - kMinSize) / kMaxFactor <= compressed.size();
}

std::optional<std::vector<std::byte>> inflated(Bytes compressed, std::size_t size, DeflateForm form) {
  if (!may_inflate_to(compressed, size)) return std::nullopt;
  std::vector<std::byte> bytes(size);
  return inflate_into(bytes, compressed, form) == Inflation::Whole ? std::optional(std::move(bytes)) : std::nullopt;
}

Inflation inflate_into(MutableBytes bytes, Bytes compressed, DeflateForm form) {
  const std::size_t size = bytes.size();
  z_stream stream{};
  if (::inflateInit2(&stream, window_bits(form)) != Z_OK) return Inflation::Damaged;
  std::byte nothing{};
  std::size_t taken = 0, made = 0;
  int status = Z_OK;
  // zlib counts in 32 bits.
  constexpr std::size_t kMaxStep = 1u << 30;
  while (status == Z_OK) {
    const Bytes from = compressed.subspan(taken, std::min(compressed.size() - taken, kMaxStep));
    const MutableBytes to = bytes.subspan(made, std::min(size - made, kMaxStep));
    stream.next_in = zlib_pointer(from);
    stream.avail_in = static_cast<uInt>(from.size());
    stream.next_out = to.empty() ? reinterpret_cast<Bytef*>(&nothing) : zlib_pointer(to);
    stream.avail_out = static_cast<uInt>(to.size());
    status = ::inflate(&stream, Z_NO_FLUSH);
    const std::size_t used = from.size() - stream.avail_in, added = to.size() - stream.avail_out;
    taken += used;
    made += added;
    if (used == 0 && added == 0 && status == Z_OK) break;
  }
  ::inflateEnd(&stream);
  if (made < size || (status != Z_STREAM_END && status != Z_OK && status != Z_BUF_ERROR)) return Inflation::Damaged;
  return status == Z_STREAM_END ? Inflation::Whole : Inflation::Begun;
}

std::optional<std::vector<std::byte>> deflated(Bytes bytes, DeflateForm form) {
  z_stream stream{};
  constexpr int kMemory = 8;  // zlib's usual value
  if (bytes.empty() || bytes.size() > std::numeric_limits<uInt>::max() ||
      ::deflateInit2(&stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, window_bits(form), kMemory, Z_DEFAULT_STRATEGY) !=
          Z_OK)
    return std::nullopt;
  std::vector<std::byte> compressed(bytes.size());
  stream.next_in = zlib_pointer(bytes);
  stream.avail_in = static_cast<uInt>(bytes.size());
  stream.next_out = zlib_pointer(compressed);
  stream.avail_out = static_cast<uInt>(compressed.size() - 1);
  const int status = ::deflate(&stream, Z_FINISH);
  compressed.resize(stream.total_out);
  ::deflateEnd(&stream);
  return status == Z_STREAM_END ? std::optional(std::move(compressed)) : std::nullopt;
}

}  // namespace slipway::tensor
