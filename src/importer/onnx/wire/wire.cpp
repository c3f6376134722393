// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "importer/onnx/wire/wire.hpp"

namespace slipway::importer::onnx {
namespace {

constexpr std::uint64_t kMaxFieldNumber = (std::uint64_t{1} << 29) - 1;
constexpr unsigned kTypeBits = 3, kGroupBits = 7, kMaxVarintShift = 63;

// Reads a varint at `at`, which moves past it.
WireFault read_varint(const std::byte*& at, const std::byte* end, std::uint64_t& value) {
  value = 0;
  for (unsigned shift = 0; at != end; shift += kGroupBits) {
    const auto byte = static_cast<std::uint64_t>(*at++);
    if (shift == kMaxVarintShift && byte > 1) return WireFault::LongVarint;
    value |= (byte & 0x7f) << shift;
    if (byte < 0x80) return WireFault::None;
  }
  return WireFault::Truncated;
}

}  // namespace

WireFault append_varints(Bytes packed, std::vector<std::int64_t>& values) {
  const std::byte* at = packed.data();
  const std::byte* const end = at + packed.size();
  while (at != end) {
    std::uint64_t value = 0;
    if (const WireFault fault = read_varint(at, end, value); fault != WireFault::None) return fault;
    values.push_back(static_cast<std::int64_t>(value));
  }
  return WireFault::None;
}

bool WireReader::next(WireField& field) {
  if (at_ == end_ || fault_ != WireFault::None) return false;
  begin_ = at_;
  number_ = 0;
  fault_ = read(field);
  field.whole = {begin_, at_};
  return fault_ == WireFault::None;
}

WireFault WireReader::read_key(WireField& field) {
  std::uint64_t key = 0;
  if (const WireFault fault = read_varint(at_, end_, key); fault != WireFault::None) return fault;
  const std::uint64_t number = key >> kTypeBits;
  if (number == 0 || number > kMaxFieldNumber) return WireFault::FieldNumber;
  field.number = number_ = static_cast<std::uint32_t>(number);
  field.type = static_cast<WireType>(key & ((1U << kTypeBits) - 1));
  return WireFault::None;
}

WireFault WireReader::read(WireField& field) {
  if (const WireFault fault = read_key(field); fault != WireFault::None) return fault;
  field.contents = {};
  switch (field.type) {
    case WireType::Varint:
      return read_varint(at_, end_, field.value);
    case WireType::Fixed64:
      return take(sizeof(std::uint64_t), field.contents);
    case WireType::Fixed32:
      return take(sizeof(std::uint32_t), field.contents);
    case WireType::Length: {
      if (const WireFault fault = read_varint(at_, end_, length_); fault != WireFault::None) return fault;
      const WireFault fault = take(length_, field.contents);
      return fault == WireFault::None ? fault : WireFault::Length;
    }
  }
  return WireFault::WireType;
}

WireFault WireReader::take(std::uint64_t count, Bytes& contents) {
  if (count > static_cast<std::uint64_t>(end_ - at_)) return WireFault::Truncated;
  contents = {at_, static_cast<std::size_t>(count)};
  at_ += count;
  return WireFault::None;
}

}  // namespace slipway::importer::onnx
