// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tensor/files/npz.hpp"

#include <zlib.h>

#include <algorithm>
#include <optional>

#include "base/format.hpp"
#include "tensor/files/deflate.hpp"

namespace slipway::tensor {
namespace {

// Sizes and fields of the records of a ZIP file (APPNOTE.TXT, sections 4.3.7, 4.3.12 and 4.3.16).
constexpr std::uint32_t kLocalMagic = 0x04034b50, kCentralMagic = 0x02014b50, kEndMagic = 0x06054b50;
constexpr std::size_t kLocalSize = 30, kCentralSize = 46, kEndSize = 22, kMaxComment = 0xffff;

std::uint32_t number(Bytes bytes, std::size_t at, std::size_t size) {
  std::uint32_t value = 0;
  for (std::size_t i = 0; i < size; ++i) value |= std::to_integer<std::uint32_t>(bytes[at + i]) << (8 * i);
  return value;
}

constexpr std::size_t kMaxName = 0xffff, kMaxMembers = 0xfffe;
constexpr std::uint32_t kStored = 0, kDeflated = 8, kEncrypted = 1, kZip64 = 0xffffffff;

// Of a compressed member, which is made to find its header.
constexpr std::size_t kHeadSize = std::size_t{64} << 10;

std::unexpected<Failure> damaged(const NpzMember& member, const std::string& archive) {
  return fail(DiagnosticKind::FileFormat, SourceLocation::in_bytes(archive, member.range),
              formatted("the array `{}` is damaged", member.name));
}

const Bytef* byte_pointer(Bytes bytes) { return reinterpret_cast<const Bytef*>(bytes.data()); }

class NpzReader {
 public:
  NpzReader(Bytes file, const std::string& name) : file_(file), name_(name) {}

  Result<std::vector<NpzMember>> read() {
    SLIPWAY_TRY(const std::size_t end, find_end());
    const std::uint32_t count = number(file_, end + 10, 2);
    if (number(file_, end + 4, 2) != 0 || number(file_, end + 8, 2) != count)
      return problem(DiagnosticKind::Unsupported, {end, end + kEndSize}, "the archive has several parts");
    std::size_t at = number(file_, end + 16, 4);
    std::vector<NpzMember> members;
    for (std::uint32_t i = 0; i < count; ++i) {
      if (at > end || end - at < kCentralSize || number(file_, at, 4) != kCentralMagic)
        return problem(DiagnosticKind::FileFormat, {end, end + kEndSize},
                       formatted("the directory of the archive has no entry {} of {}", i, count));
      const std::size_t name_size = number(file_, at + 28, 2);
      const std::size_t next = at + kCentralSize + name_size + number(file_, at + 30, 2) + number(file_, at + 32, 2);
      if (next > end)
        return problem(DiagnosticKind::FileTruncated, {at, at + kCentralSize},
                       "an entry of the directory extends past its end");
      SLIPWAY_TRY(NpzMember member, read_member(at, name_size));
      members.push_back(std::move(member));
      at = next;
    }
    return members;
  }

 private:
  std::unexpected<Failure> problem(DiagnosticKind kind, Span range, std::string message) const {
    return fail(kind, SourceLocation::in_bytes(name_, range), std::move(message));
  }

  // The record at the end, before a comment.
  Result<std::size_t> find_end() const {
    if (file_.size() >= kEndSize) {
      const std::size_t last = file_.size() - kEndSize, first = last > kMaxComment ? last - kMaxComment : 0;
      for (std::size_t at = last + 1; at-- > first;) {
        if (number(file_, at, 4) == kEndMagic) return at;
      }
    }
    return problem(DiagnosticKind::FileTruncated, {0, file_.size()},
                   "the archive has no directory at its end, as a truncated ZIP file");
  }

  Result<NpzMember> read_member(std::size_t at, std::size_t name_size) const {
    const auto* text = reinterpret_cast<const char*>(file_.data() + at + kCentralSize);
    std::string member(text, name_size);
    const Span entry{at, at + kCentralSize + name_size};
    const std::uint32_t flags = number(file_, at + 8, 2), method = number(file_, at + 10, 2);
    if ((flags & kEncrypted) != 0 || (method != kStored && method != kDeflated))
      return problem(DiagnosticKind::Unsupported, entry,
                     formatted("the array `{}` is {}; write the archive with `numpy.savez` or "
                               "`numpy.savez_compressed`",
                               member, (flags & kEncrypted) != 0 ? "encrypted" : "compressed in another way"));
    const std::size_t size = number(file_, at + 20, 4), full = number(file_, at + 24, 4),
                      local = number(file_, at + 42, 4);
    if (size == kZip64 || full == kZip64 || local == kZip64)
      return problem(DiagnosticKind::Unsupported, entry,
                     formatted("the array `{}` is larger than 4 GiB; use a directory of .npy files", member));
    if (local > file_.size() || file_.size() - local < kLocalSize || number(file_, local, 4) != kLocalMagic)
      return problem(DiagnosticKind::FileFormat, entry,
                     formatted("the array `{}` is not where its entry says", member));
    const std::size_t data = local + kLocalSize + number(file_, local + 26, 2) + number(file_, local + 28, 2);
    if (data > file_.size() || file_.size() - data < size)
      return problem(DiagnosticKind::FileTruncated, entry,
                     formatted("the array `{}` extends past the end of the file", member));
    if (member.ends_with(".npy")) member.resize(member.size() - 4);
    NpzMember made{.name = std::move(member),
                   .npy = file_.subspan(data, size),
                   .range = {data, data + size},
                   .checksum = number(file_, at + 16, 4)};
    if (method == kStored) return made;
    const Bytes compressed = made.npy;
    if (!may_inflate_to(compressed, full)) return damaged(made, name_);
    made.inflated = std::make_shared<CompressedMember>(compressed, ZeroedMemory(full));
    if (made.inflated->memory.failed())
      return problem(DiagnosticKind::Unsupported, made.range,
                     formatted("there is no memory for the {} bytes of the array `{}`", full, made.name));
    const MutableBytes bytes = made.inflated->memory.bytes();
    made.npy = bytes;
    const MutableBytes head = bytes.first(std::min(full, kHeadSize));
    if (full > kHeadSize && inflate_into(head, compressed, DeflateForm::Raw) == Inflation::Damaged)
      return damaged(made, name_);
    if (full <= kHeadSize || header_end(head) > kHeadSize) SLIPWAY_TRY_VOID(read_elements(made, made.npy, name_));
    return made;
  }

  // Where the header of an .npy file ends.
  static std::uint64_t header_end(Bytes npy) {
    constexpr std::size_t kVersionAt = 6, kLengthAt = 8;
    return kLengthAt + (npy[kVersionAt] == std::byte{1} ? 2 + number(npy, kLengthAt, 2)
                                                        : 4 + std::uint64_t{number(npy, kLengthAt, 4)});
  }

  Bytes file_;
  const std::string& name_;
};

}  // namespace

bool is_npz(Bytes file) {
  return file.size() >= 4 && (number(file, 0, 4) == kLocalMagic || number(file, 0, 4) == kEndMagic);
}

Result<std::vector<NpzMember>> parse_npz(Bytes file, const std::string& name) { return NpzReader(file, name).read(); }

Result<> read_elements(const NpzMember& member, Bytes elements, const std::string& name) {
  if (member.inflated && member.inflated->complete) return {};
  const auto end = static_cast<std::size_t>(elements.data() + elements.size() - member.npy.data());
  // The checksum is of all bytes. Those after an array, which are ignored, may be many.
  const bool whole = end == member.npy.size();
  if (member.inflated) {
    CompressedMember& of = *member.inflated;
    const Inflation made = inflate_into(of.memory.bytes().first(end), of.compressed, DeflateForm::Raw);
    if (made == Inflation::Damaged || (whole && made != Inflation::Whole)) return damaged(member, name);
  }
  if (whole && ::crc32(0, byte_pointer(member.npy), static_cast<uInt>(member.npy.size())) != member.checksum)
    return damaged(member, name);
  if (member.inflated) member.inflated->complete = whole;
  return {};
}

Result<std::vector<std::byte>> write_npz(std::span<const NpzMember> members) {
  constexpr std::uint32_t kVersion = 20,
                          kDate = 0x21;  // 2.0: deflate; 1 January 1980, so that equal data are equal files
  std::vector<std::byte> file, directory;
  const auto add = [](std::vector<std::byte>& to, std::uint64_t value, int size) {
    for (int i = 0; i < size; ++i, value >>= 8) to.push_back(static_cast<std::byte>(value & 0xff));
  };
  for (const NpzMember& member : members) {
    const std::string name = member.name + ".npy";
    const auto too_large = [&] {
      return fail(DiagnosticKind::Unsupported, {},
                  formatted("the archive with `{}` would be 4 GiB or larger; write a directory of .npy files", name));
    };
    if (member.npy.size() >= kZip64) return too_large();
    if (name.size() > kMaxName || members.size() > kMaxMembers)
      return fail(DiagnosticKind::Unsupported, {},
                  formatted("an archive has at most {} arrays with names of at most {} bytes", kMaxMembers, kMaxName));
    const std::optional<std::vector<std::byte>> small = deflated(member.npy, DeflateForm::Raw);
    const Bytes data = small ? Bytes(*small) : member.npy;
    const std::size_t begin = file.size();
    // What both records have: sizes, check sum and the length of the name.
    const auto common = [&](std::vector<std::byte>& to) {
      add(to, kVersion, 2);
      add(to, 0, 2);
      add(to, small ? kDeflated : kStored, 2);
      add(to, 0, 2);
      add(to, kDate, 2);
      add(to, ::crc32(0, byte_pointer(member.npy), static_cast<uInt>(member.npy.size())), 4);
      add(to, data.size(), 4);
      add(to, member.npy.size(), 4);
      add(to, name.size(), 2);
      add(to, 0, 2);  // extra field
    };
    add(file, kLocalMagic, 4);
    common(file);
    file.append_range(bytes_of(name));
    file.append_range(data);
    if (file.size() >= kZip64) return too_large();
    add(directory, kCentralMagic, 4);
    add(directory, kVersion, 2);
    common(directory);
    add(directory, 0, 10);  // comment, disk, attributes
    add(directory, begin, 4);
    directory.append_range(bytes_of(name));
  }
  const std::size_t begin = file.size();
  file.append_range(directory);
  add(file, kEndMagic, 4);
  add(file, 0, 4);
  add(file, members.size(), 2);
  add(file, members.size(), 2);
  add(file, directory.size(), 4);
  add(file, begin, 4);
  add(file, 0, 2);
  return file;
}

}  // namespace slipway::tensor
