// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The messages of ONNX files, decoded one level deep: members are views of the file, and messages inside a message are
// decoded when they are needed. The table of fields is messages.def.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "importer/onnx/wire/onnx_file.hpp"
#include "importer/onnx/wire/wire.hpp"

namespace slipway::importer::onnx {

using Int = std::optional<std::int64_t>;
using Float = std::optional<float>;
using Text = std::string_view;  // UTF-8; otherwise the file has a warning
using Texts = std::vector<std::string_view>;
using Blob = std::optional<Bytes>;
using Blobs = std::vector<Bytes>;
using Ints = std::vector<std::int64_t>;
using Submessages = std::vector<Bytes>;
struct Ignored {};

// A message that occurs once. The occurrences of a file that repeats it are merged.
struct Submessage {
  std::vector<Bytes> parts;
  explicit operator bool() const { return !parts.empty(); }
};

// A list of numbers of a fixed size. It is a view of the file where the file has it in one piece.
template <class Element>
class FixedList {
 public:
  void append(Bytes bytes) {
    if (view_.empty() && copied_.empty()) {
      view_ = bytes;
      return;
    }
    if (copied_.empty()) copied_.assign(view_.begin(), view_.end());
    copied_.insert(copied_.end(), bytes.begin(), bytes.end());
  }
  std::size_t size() const { return bytes().size() / sizeof(Element); }
  Element operator[](std::size_t i) const { return load<Element>(bytes().data() + i * sizeof(Element)); }
  Bytes bytes() const { return copied_.empty() ? view_ : Bytes(copied_); }
  bool is_view() const { return copied_.empty(); }

 private:
  Bytes view_;
  std::vector<std::byte> copied_;
};
using FloatList = FixedList<float>;
using DoubleList = FixedList<double>;

#define MESSAGE(type, name_field) \
  struct type {                   \
    static constexpr std::uint32_t kNameField = name_field;
#define FIELD(number, name, type) type name;
#define END_MESSAGE \
  }                 \
  ;
#include "importer/onnx/wire/messages.def"
#undef MESSAGE
#undef FIELD
#undef END_MESSAGE

// Decodes the fields of `part` into the message, which `where` names. Returns false after an error, which is reported.
#define MESSAGE(type, name_field) bool decode(OnnxFile& file, const Context& where, Bytes part, type& message);
#define FIELD(number, name, type)
#define END_MESSAGE
#include "importer/onnx/wire/messages.def"
#undef MESSAGE
#undef FIELD
#undef END_MESSAGE

// The message `part`, a field `kind` of what `parent` names.
template <class Message>
Context context_of(const Context& parent, std::string_view kind, Bytes part) {
  return {.parent = &parent, .kind = kind, .message = part, .name_field = Message::kNameField};
}

// A message that occurs once: all its parts. One that occurs twice is merged, with a warning.
template <class Message>
bool decode(OnnxFile& file, const Context& where, const Submessage& all, Message& message) {
  if (all.parts.size() > 1) file.warn_repeated(where, all.parts.back());
  bool ok = true;
  for (const Bytes part : all.parts) ok = decode(file, where, part, message) && ok;
  return ok;
}

}  // namespace slipway::importer::onnx
