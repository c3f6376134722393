// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/mlir_bytecode.hpp"

#include <algorithm>
#include <bit>

namespace slipway {
namespace {

constexpr std::string_view kBytecodeMagic = "ML\xEFR";
constexpr std::uint64_t kWithDialectVersions = 1;  // the version of the format that added them
constexpr std::uint8_t kIsAligned = 0x80;

}  // namespace

std::uint64_t read_mlir_number(ByteReader& from) {
  const auto first = from.read<std::uint8_t>();
  if (first == 0) return from.read<std::uint64_t>();
  // The count of zeros below the lowest one is that of the bytes that follow.
  const int more = std::countr_zero(first);
  std::uint64_t value = first;
  for (int i = 1; i <= more; ++i) value |= std::uint64_t{from.read<std::uint8_t>()} << (8 * i);
  return from.failed() ? 0 : value >> (more + 1);
}

void write_mlir_number(ByteWriter& to, std::uint64_t value) {
  for (int size = 1; size <= 8; ++size) {
    if (value >> (7 * size) != 0) continue;
    const std::uint64_t encoded = (value << 1 | 1) << (size - 1);
    for (int i = 0; i < size; ++i) to.write(static_cast<std::uint8_t>(encoded >> (8 * i)));
    return;
  }
  to.write(std::uint8_t{0}).write(value);
}

bool is_mlir_bytecode(Bytes bytes) { return text_of(bytes).starts_with(kBytecodeMagic); }

Bytes MlirBytecode::section(MlirSectionId id) const {
  const auto found = std::ranges::find(sections, id, &MlirSection::id);
  return found == sections.end() ? Bytes() : found->contents;
}

std::optional<MlirBytecode> read_mlir_bytecode(Bytes bytes) {
  if (!is_mlir_bytecode(bytes)) return std::nullopt;
  MlirBytecode file;
  ByteReader from(bytes, kBytecodeMagic.size());
  file.version = read_mlir_number(from);
  const std::string_view text = text_of(bytes);
  const std::size_t end = text.find('\0', from.offset());
  if (from.failed() || end == text.npos) return file;
  file.producer = text.substr(from.offset(), end - from.offset());
  from.seek(end + 1);
  file.head = bytes.first(end + 1);
  for (; from.remaining() != 0; file.is_whole = from.remaining() == 0) {
    const auto kind = from.read<std::uint8_t>();
    MlirSection section{.id = static_cast<MlirSectionId>(kind & ~kIsAligned)};
    const std::uint64_t size = read_mlir_number(from);
    if ((kind & kIsAligned) != 0) {
      section.alignment = read_mlir_number(from);
      if (!std::has_single_bit(section.alignment)) break;
      from.take((section.alignment - from.offset() % section.alignment) % section.alignment);
    }
    section.contents = from.take(size);
    if (from.failed()) break;
    file.sections.push_back(section);
  }
  return file;
}

std::vector<std::string_view> strings_of(const MlirBytecode& file) {
  const Bytes section = file.section(MlirSectionId::String);
  ByteReader from(section);
  const std::uint64_t count = read_mlir_number(from);
  if (count > from.remaining()) return {};
  // Sizes are in reverse order, the texts at the end of the section are not. Each ends with NUL.
  std::vector<std::string_view> strings(count);
  std::size_t end = section.size();
  for (std::size_t i = count; i-- > 0;) {
    const std::uint64_t size = read_mlir_number(from);
    if (from.failed() || size == 0 || size > end) return {};
    end -= size;
    strings[i] = text_of(section.subspan(end, size - 1));
  }
  return strings;
}

std::vector<std::string_view> dialects_of(const MlirBytecode& file) {
  const std::vector<std::string_view> strings = strings_of(file);
  ByteReader from(file.section(MlirSectionId::Dialect));
  std::vector<std::string_view> dialects;
  for (std::uint64_t left = read_mlir_number(from); left != 0 && !from.failed(); --left) {
    std::uint64_t name = read_mlir_number(from);
    if (file.version >= kWithDialectVersions) {
      const bool has_version = (name & 1) != 0;
      name >>= 1;
      if (has_version) {
        from.take(1);  // the id of a section
        from.take(read_mlir_number(from));
      }
    }
    if (from.failed() || name >= strings.size()) break;
    dialects.push_back(strings[name]);
  }
  return dialects;
}

}  // namespace slipway
