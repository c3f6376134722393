// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "foreign/containers.hpp"

#include <algorithm>
#include <optional>
#include <ranges>

#include "base/ar.hpp"

namespace slipway::foreign {
namespace {

constexpr std::size_t kMaxNames = 1000, kMaxFields = 4096;
constexpr std::size_t kLocalHeader = 30, kCentralHeader = 46, kEndRecord = 22, kMaxComment = 0xffff;

// The end record of the central directory; its comment may follow it.
std::optional<std::size_t> end_record(Bytes bytes) {
  if (bytes.size() < kEndRecord) return std::nullopt;
  const std::size_t first = bytes.size() - std::min(bytes.size(), kEndRecord + kMaxComment);
  const std::size_t at = text_of(bytes.subspan(first)).rfind("PK\x05\x06");
  if (at == std::string_view::npos || first + at + kEndRecord > bytes.size()) return std::nullopt;
  return first + at;
}

class ProtoReader {
 public:
  explicit ProtoReader(Bytes bytes) : bytes_(bytes) {}

  bool at_end() const { return at_ == bytes_.size(); }

  std::optional<ProtoField> field() {
    const auto tag = varint();
    if (!tag || *tag >> 3 == 0 || *tag >> 3 > 0x1fffffff) return std::nullopt;
    ProtoField field{.number = *tag >> 3};
    switch (*tag & 7) {
      case 0: {
        const auto value = varint();
        if (!value) return std::nullopt;
        field.value = *value;
        return field;
      }
      case 1:
        return skip(8) ? std::optional(field) : std::nullopt;
      case 2: {
        const auto size = varint();
        if (!size || *size > bytes_.size() - at_) return std::nullopt;
        field.is_message = true;
        field.contents = bytes_.subspan(at_, *size);
        at_ += *size;
        return field;
      }
      case 5:
        return skip(4) ? std::optional(field) : std::nullopt;
      default:
        return std::nullopt;
    }
  }

 private:
  bool skip(std::size_t count) {
    if (count > bytes_.size() - at_) return false;
    at_ += count;
    return true;
  }

  std::optional<std::uint64_t> varint() {
    std::uint64_t value = 0;
    for (unsigned shift = 0; shift < 64 && at_ < bytes_.size(); shift += 7) {
      const auto byte = static_cast<std::uint8_t>(bytes_[at_++]);
      value |= std::uint64_t{byte & 0x7fU} << shift;
      if (byte < 0x80) return value;
    }
    return std::nullopt;
  }

  Bytes bytes_;
  std::size_t at_ = 0;
};

}  // namespace

bool is_zip(Bytes bytes) {
  return text_of(bytes).starts_with("PK\x03\x04") || text_of(bytes).starts_with("PK\x05\x06");
}

std::vector<std::string_view> zip_names(Bytes bytes) {
  std::vector<std::string_view> names;
  const std::string_view text = text_of(bytes);
  const auto end = end_record(bytes);
  std::size_t at = end ? load<std::uint32_t>(&bytes[*end + 16]) : bytes.size();
  while (names.size() < kMaxNames && at < bytes.size() && bytes.size() - at >= kCentralHeader &&
         text.substr(at).starts_with("PK\x01\x02")) {
    const std::size_t name = load<std::uint16_t>(&bytes[at + 28]);
    names.push_back(text.substr(at + kCentralHeader, name));
    at += kCentralHeader + name + load<std::uint16_t>(&bytes[at + 30]) + load<std::uint16_t>(&bytes[at + 32]);
  }
  if (names.empty() && bytes.size() > kLocalHeader && text.starts_with("PK\x03\x04"))
    names.push_back(text.substr(kLocalHeader, load<std::uint16_t>(&bytes[26])));
  return names;
}

bool is_recipe_archive(Bytes bytes) {
  using namespace std::string_view_literals;
  if (!is_ar(bytes)) return false;
  for (const ArMember& one : read_ar(bytes).members | std::views::take(kMaxNames)) {
    const std::string_view member = text_of(one.bytes);
    const bool json = member.substr(0, member.find_first_not_of(" \t\r\n") + 1).ends_with('{');
    if (member.starts_with("xclbin2\0"sv) ||
        (json && (member.contains("\"resources\"") || member.contains("\"bindings\""))))
      return true;
  }
  return false;
}

std::vector<ProtoField> proto_fields(Bytes bytes) {
  std::vector<ProtoField> fields;
  ProtoReader reader(bytes);
  while (!reader.at_end() && fields.size() < kMaxFields) {
    const auto field = reader.field();
    if (!field) return {};
    fields.push_back(*field);
  }
  return fields;
}

}  // namespace slipway::foreign
