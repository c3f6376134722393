// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tensor/npz.hpp"

#include <algorithm>

#include "base/format.hpp"

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
    if ((number(file_, at + 8, 2) & 1) != 0 || number(file_, at + 10, 2) != 0)
      return problem(DiagnosticKind::Unsupported, entry,
                     formatted("the array `{}` is compressed; write the archive with `numpy.savez`", member));
    const std::size_t size = number(file_, at + 24, 4), local = number(file_, at + 42, 4);
    if (local > file_.size() || file_.size() - local < kLocalSize || number(file_, local, 4) != kLocalMagic)
      return problem(DiagnosticKind::FileFormat, entry,
                     formatted("the array `{}` is not where its entry says", member));
    const std::size_t data = local + kLocalSize + number(file_, local + 26, 2) + number(file_, local + 28, 2);
    if (data > file_.size() || file_.size() - data < size)
      return problem(DiagnosticKind::FileTruncated, entry,
                     formatted("the array `{}` extends past the end of the file", member));
    if (member.ends_with(".npy")) member.resize(member.size() - 4);
    return NpzMember{std::move(member), file_.subspan(data, size)};
  }

  Bytes file_;
  const std::string& name_;
};

}  // namespace

bool is_npz(Bytes file) {
  return file.size() >= 4 && (number(file, 0, 4) == kLocalMagic || number(file, 0, 4) == kEndMagic);
}

Result<std::vector<NpzMember>> parse_npz(Bytes file, const std::string& name) { return NpzReader(file, name).read(); }

}  // namespace slipway::tensor
