// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The encoding of protocol buffers: a message is a sequence of fields, each a number and a value of a wire type
// (docs/spec/import.md#wire-format). Values are views of the file.
#pragma once

#include <cstdint>
#include <vector>

#include "base/bytes.hpp"

namespace slipway::importer::onnx {

enum class WireType : std::uint8_t { Varint = 0, Fixed64 = 1, Length = 2, Fixed32 = 5 };

struct WireField {
  std::uint32_t number = 0;
  WireType type = WireType::Varint;
  std::uint64_t value = 0;  // of a varint
  Bytes contents;           // of the other types
  Bytes whole;              // with its key
};

enum class WireFault : std::uint8_t {
  None,
  Truncated,    // the message ends inside a key or a value of fixed size
  LongVarint,   // a varint of more than 64 bits
  FieldNumber,  // 0, or more than 29 bits
  WireType,     // a group, or a type that does not exist
  Length,       // a length past the end of the message
};

// Appends the varints of a packed list.
WireFault append_varints(Bytes packed, std::vector<std::int64_t>& values);

class WireReader {
 public:
  explicit WireReader(Bytes message) : at_(message.data()), end_(message.data() + message.size()) {}

  // Reads the next field. Returns false at the end, and after a fault.
  bool next(WireField& field);

  WireFault fault() const { return fault_; }
  // From the field with the fault to the end of what was read of it.
  Bytes fault_range() const { return {begin_, at_}; }
  // The number of the field with the fault, if it has one, and the length that it states.
  std::uint32_t fault_number() const { return number_; }
  std::uint64_t fault_length() const { return length_; }

 private:
  WireFault read(WireField& field);
  WireFault read_key(WireField& field);
  WireFault take(std::uint64_t count, Bytes& contents);

  const std::byte* at_;
  const std::byte* end_;
  const std::byte* begin_ = nullptr;  // of the field
  std::uint32_t number_ = 0;
  std::uint64_t length_ = 0;
  WireFault fault_ = WireFault::None;
};

}  // namespace slipway::importer::onnx
