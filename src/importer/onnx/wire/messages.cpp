// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "importer/onnx/wire/messages.hpp"

#include <algorithm>

#include "base/format.hpp"
#include "base/text/utf8.hpp"

namespace slipway::importer::onnx {
namespace {

constexpr std::uint64_t kFieldCharge = 8;  // bytes

enum class Taken : std::uint8_t { Ok, WrongType, Malformed };

bool is_ascii(Bytes bytes) {
  std::byte all{};
  for (const std::byte byte : bytes) all |= byte;
  return static_cast<std::uint8_t>(all) < 0x80;
}

// The fields of one message.
class MessageDecoder {
 public:
  MessageDecoder(OnnxFile& file, const Context& where) : file_(file), where_(where) {}

  template <class Message>
  bool run(Bytes part, Message& message) {
    if (file_.is_exhausted()) return false;
    if (where_.depth() > kMaxDepth) {
      file_.refuse_depth(part);
      return false;
    }
    WireReader reader(part);
    for (; reader.next(field_); ++work_) assign(message);
    if (reader.fault() != WireFault::None) report(reader, part);
    return file_.charge(work_ * kFieldCharge, where_) && ok_;
  }

 private:
#define MESSAGE(type, name_field) \
  void assign(type& message) {    \
    switch (field_.number) {
#define FIELD(number, name, type) \
  case number:                    \
    return check(take(message.name), #name);
#define END_MESSAGE                 \
  }                                 \
  file_.skip_unknown(field_.whole); \
  }
#include "importer/onnx/wire/messages.def"
#undef MESSAGE
#undef FIELD
#undef END_MESSAGE

  static Taken if_type(bool is_type) { return is_type ? Taken::Ok : Taken::WrongType; }

  Taken take(Int& member) {
    member = static_cast<std::int64_t>(field_.value);
    return if_type(field_.type == WireType::Varint);
  }
  Taken take(Float& member) {
    if (field_.type != WireType::Fixed32) return Taken::WrongType;
    member = load<float>(field_.contents.data());
    return Taken::Ok;
  }
  Taken take(Text& member) {
    member = text_of(field_.contents);
    check_text();
    return if_type(field_.type == WireType::Length);
  }
  Taken take(Texts& member) {
    member.push_back(text_of(field_.contents));
    check_text();
    return if_type(field_.type == WireType::Length);
  }
  Taken take(Blob& member) {
    member = field_.contents;
    return if_type(field_.type == WireType::Length);
  }
  Taken take(std::vector<Bytes>& member) {  // Blobs, Submessages
    if (field_.type != WireType::Length) return Taken::WrongType;
    member.push_back(field_.contents);
    return Taken::Ok;
  }
  Taken take(Submessage& member) { return take(member.parts); }
  Taken take(Ignored&) { return Taken::Ok; }
  Taken take(Ints& member) {
    if (field_.type == WireType::Varint) {
      member.push_back(static_cast<std::int64_t>(field_.value));
      return Taken::Ok;
    }
    if (field_.type != WireType::Length) return Taken::WrongType;
    work_ += field_.contents.size();
    return append_varints(field_.contents, member) == WireFault::None ? Taken::Ok : Taken::Malformed;
  }
  template <class Element>
  Taken take(FixedList<Element>& member) {
    constexpr WireType kElement = sizeof(Element) == sizeof(float) ? WireType::Fixed32 : WireType::Fixed64;
    if (field_.type != kElement && field_.type != WireType::Length) return Taken::WrongType;
    if (field_.contents.size() % sizeof(Element) != 0) return Taken::Malformed;
    member.append(field_.contents);
    return Taken::Ok;
  }

  void check_text() {
    if (is_ascii(field_.contents)) return;
    const std::string_view text = text_of(field_.contents);
    if (valid_utf8(text) != text) file_.warn_not_utf8(where_, field_.contents);
  }

  void check(Taken taken, std::string_view name) {
    if (taken == Taken::Ok) return;
    ok_ = false;
    if (taken == Taken::Malformed) {
      file_.error(DiagnosticKind::FileFormat, field_.whole,
                  formatted("the list `{}`{} does not consist of whole elements", name, where_.as_owner()));
    } else {
      file_.error(DiagnosticKind::FileFormat, field_.whole,
                  formatted("`{}`{} has the wire type {}, which is not that of its elements", name, where_.as_owner(),
                            static_cast<int>(field_.type)));
    }
  }

  void report(const WireReader& reader, Bytes part);

  OnnxFile& file_;
  const Context& where_;
  WireField field_;
  bool ok_ = true;
  std::uint64_t work_ = 0;  // fields and elements
};

void MessageDecoder::report(const WireReader& reader, Bytes part) {
  ok_ = false;
  const Bytes range = reader.fault_range();
  const std::string owner = where_.as_owner();
  const auto field = reader.fault_number();
  const auto error = [&](DiagnosticKind kind, std::string text) { file_.error(kind, range, std::move(text)); };
  switch (reader.fault()) {
    case WireFault::None:
      return;
    case WireFault::Truncated:
      return error(DiagnosticKind::FileTruncated, formatted("the last field{} is incomplete", owner));
    case WireFault::LongVarint:
      return error(DiagnosticKind::FileFormat, formatted("a number in field {}{} has more than 64 bits", field, owner));
    case WireFault::FieldNumber:
      return error(DiagnosticKind::FileFormat, formatted("a field{} has a number outside 1 to 536870911", owner));
    case WireFault::WireType:
      return error(DiagnosticKind::FileFormat,
                   formatted("field {}{} is a group or has an unknown wire type", field, owner));
    case WireFault::Length: {
      const std::uint64_t begin = file_.offset_of(range.data() + range.size());
      const std::uint64_t end = file_.offset_of(part.data() + part.size());
      return error(DiagnosticKind::FileTruncated,
                   formatted("field {}{} has {} bytes from 0x{:x}, but the message around it ends at 0x{:x}", field,
                             owner, reader.fault_length(), begin, end));
    }
  }
}

}  // namespace

#define MESSAGE(type, name_field)                                                \
  bool decode(OnnxFile& file, const Context& where, Bytes part, type& message) { \
    return MessageDecoder(file, where).run(part, message);                       \
  }
#define FIELD(number, name, type)
#define END_MESSAGE
#include "importer/onnx/wire/messages.def"
#undef MESSAGE
#undef FIELD
#undef END_MESSAGE

}  // namespace slipway::importer::onnx
