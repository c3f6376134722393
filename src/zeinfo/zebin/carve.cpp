// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "zeinfo/zebin/carve.hpp"

#include <algorithm>
#include <array>
#include <optional>

#include "zeinfo/zebin/archive.hpp"
#include "zeinfo/zebin/elf.hpp"

namespace slipway::zebin {
namespace {

constexpr std::string_view kElfMagic =
    "\x7f"
    "ELF";

template <class T>
T load_at(Bytes bytes, std::uint64_t at) {
  return load<T>(&bytes[at]);
}

// The size of the ELF file at the beginning of `bytes`; empty if it is not whole.
std::optional<std::uint64_t> size_of_elf(Bytes bytes) {
  const std::optional<ElfHeader> header = read_elf_header(bytes);
  if (!header || header->shnum == 0 || header->shentsize != header->section_header_size()) return std::nullopt;
  const std::uint64_t table_size = header->shnum * header->section_header_size();
  if (!range_of(bytes, header->shoff, table_size)) return std::nullopt;
  std::uint64_t end = std::max(header->size(), header->shoff + table_size);
  for (std::uint64_t i = 0; i < header->shnum; ++i) {
    const ElfSection section = *elf_section(bytes, *header, i);
    if (section.type == kNobits) continue;
    if (!range_of(bytes, section.offset, section.size)) return std::nullopt;
    end = std::max(end, section.offset + section.size);
  }
  return end;
}

// The name in the header of an archive member that ends directly before `at`.
std::string member_before(Bytes file, std::uint64_t at) {
  constexpr std::uint64_t kHeaderSize = 60;
  if (at < kHeaderSize) return {};
  const std::string_view header = text_of(file.subspan(at - kHeaderSize, kHeaderSize));
  if (!header.ends_with("`\n")) return {};
  const std::string_view name = header.substr(0, header.substr(0, 16).find_last_not_of("/ ") + 1);
  return name.starts_with("64.") || name.starts_with("32.") ? std::string(name) : std::string();
}

}  // namespace

bool has_zebin_header(Bytes bytes) {
  if (!is_elf(bytes) || bytes.size() < 20) return false;
  const auto type = load_at<std::uint16_t>(bytes, 16), machine = load_at<std::uint16_t>(bytes, 18);
  return machine == kIntelMachine || (type >= 0xff11 && type <= 0xff13);
}

bool is_offload_bundle(Bytes bytes) {
  const std::string_view text = text_of(bytes);
  return text.starts_with("__CLANG_OFFLOAD_BUNDLE__") || text.starts_with("\x10\xff\x10\xad");
}

bool is_host_file(Bytes bytes) {
  constexpr std::array<std::uint16_t, 6> kCpus = {3, 8, 40, 62, 183, 243};  // i386, MIPS, Arm, x86-64, AArch64, RISC-V
  if (is_elf(bytes))
    return bytes.size() >= 20 && !has_zebin_header(bytes) &&
           std::ranges::contains(kCpus, load_at<std::uint16_t>(bytes, 18));
  if (text_of(bytes).starts_with("MZ") || is_offload_bundle(bytes)) return true;
  if (!is_archive(bytes)) return false;
  Diagnostics ignored;  // reported when the archive is opened
  ContainerDiagnostics problems("", ignored);
  return std::ranges::any_of(read_archive(bytes, problems),
                             [](const Member& member) { return is_elf(member.bytes) && is_host_file(member.bytes); });
}

std::vector<CarvedZebin> carve_zebins(Bytes file) {
  std::vector<CarvedZebin> found;
  const std::string_view text = text_of(file);
  for (std::size_t at = text.find(kElfMagic, 1); at != text.npos;) {
    const Bytes rest = file.subspan(at);
    std::size_t next = at + kElfMagic.size();
    if (rest.size() >= 20 && load_at<std::uint8_t>(rest, 5) == 1 && has_zebin_header(rest)) {
      if (const std::optional<std::uint64_t> size = size_of_elf(rest)) {
        found.push_back({at, rest.first(*size), member_before(file, at)});
        next = at + *size;
      }
    }
    at = text.find(kElfMagic, next);
  }
  return found;
}

}  // namespace slipway::zebin
