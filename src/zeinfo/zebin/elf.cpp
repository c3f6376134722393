// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "zeinfo/zebin/elf.hpp"

#include <algorithm>
#include <array>

#include "base/checked.hpp"
#include "base/format.hpp"

namespace slipway::zebin {
namespace {

class Reader {
 public:
  Reader(Bytes file, ContainerDiagnostics& diagnostics) : diagnostics_(diagnostics) { elf_.file = file; }

  std::optional<Elf> read() {
    if (!header() || !supported()) return std::nullopt;
    sections();
    names();
    links();
    symbols();
    relocations();
    notes();
    return std::move(elf_);
  }

 private:
  // The offsets of header fields, for messages.
  std::uint64_t shoff_at() const { return elf_.header.wide ? 40 : 32; }
  std::uint64_t shentsize_at() const { return elf_.header.wide ? 58 : 46; }

  bool header() {
    const Bytes file = elf_.file;
    if (!is_elf(file)) {
      diagnostics_.error(DiagnosticKind::NotRecognised, {0, std::min<std::size_t>(file.size(), 4)}, "not an ELF file");
      return false;
    }
    const auto byte = [&](std::size_t at) { return at < file.size() ? std::to_integer<int>(file[at]) : 1; };
    if (byte(4) != 1 && byte(4) != 2) {
      diagnostics_.error(DiagnosticKind::UnsupportedContainer, {4, 5}, formatted("an ELF file of class {}", byte(4)));
      return false;
    }
    if (byte(5) != 1) {
      diagnostics_.error(DiagnosticKind::UnsupportedContainer, {5, 6},
                         byte(5) == 2 ? "a big-endian ELF file" : formatted("an ELF file of byte order {}", byte(5)));
      return false;
    }
    if (const std::optional<ElfHeader> header = read_elf_header(file)) {
      elf_.header = *header;
      return true;
    }
    diagnostics_.error(DiagnosticKind::NotRecognised, {0, file.size()},
                       formatted("an ELF file that ends in its header: {} bytes of {}", file.size(),
                                 ElfHeader{.wide = byte(4) == 2}.size()));
    return false;
  }

  bool supported() {
    const std::uint16_t type = elf_.header.type;
    if (type == kRelocatable || type == kOldZebin) return true;
    const std::string_view what = type == kOpenClWrapper ? "an OpenCL ELF wrapper, which holds an older binary format"
                                  : type == 0xff11 ? "a zebin of type 0xff11 (relocatable), which no runtime loads"
                                  : type == 0xff13 ? "a zebin of type 0xff13 (dynamic), which no runtime loads"
                                  : type == 2      ? "an executable"
                                  : type == 3      ? "a shared library"
                                                   : "";
    diagnostics_.error(DiagnosticKind::UnsupportedContainer, {16, 18},
                       what.empty() ? formatted("an ELF file of type {:#x}, which is not a zebin", type)
                                    : formatted("{}, not a zebin", what));
    return false;
  }

  void sections() {
    const ElfHeader& h = elf_.header;
    if (h.shoff == 0 && h.shnum == 0) return;
    if (h.shentsize != h.section_header_size()) {
      diagnostics_.error(DiagnosticKind::ElfHeader, {shentsize_at(), shentsize_at() + 2},
                         formatted("section headers of {} bytes; they have {}", h.shentsize, h.section_header_size()));
      return;
    }
    std::uint64_t count = h.shnum;
    if (!range_of(elf_.file, h.shoff, count * h.section_header_size())) {
      diagnostics_.error(DiagnosticKind::ElfOutOfBounds, {shoff_at(), shoff_at() + (h.wide ? 8 : 4)},
                         formatted("the table of {} sections at {:#x} goes past the end of the file, {:#x}", count,
                                   h.shoff, elf_.file.size()));
      // The existing part can be read.
      count = h.shoff < elf_.file.size() ? (elf_.file.size() - h.shoff) / h.section_header_size() : 0;
    }
    elf_.sections.reserve(count);
    for (std::uint32_t i = 0; i < count; ++i) section(i);
  }

  void section(std::uint32_t index) {
    const ElfHeader& h = elf_.header;
    Section& s = elf_.sections.emplace_back(*elf_section(elf_.file, h, index), index, formatted("#{}", index));
    s.header_at = h.shoff + index * h.section_header_size();
    if (s.type == kNull || s.type == kNobits) {
      s.in_file = true;
      return;
    }
    if (const std::optional<Bytes> bytes = range_of(elf_.file, s.offset, s.size)) {
      s.bytes = *bytes;
      s.in_file = true;
      return;
    }
    const std::uint64_t at = s.header_at + (h.wide ? 24 : 16);
    diagnostics_.error(DiagnosticKind::ElfOutOfBounds, {at, at + (h.wide ? 16 : 8)},
                       formatted("section {} has {:#x} bytes at {:#x}, past the end of the file, {:#x}", index, s.size,
                                 s.offset, elf_.file.size()));
  }

  void names() {
    const ElfHeader& h = elf_.header;
    if (elf_.sections.empty()) return;
    const std::uint64_t at = shentsize_at() + 4;
    if (h.shstrndx >= elf_.sections.size() || elf_.sections[h.shstrndx].type != kStrtab) {
      diagnostics_.error(
          DiagnosticKind::SectionName, {at, at + 2},
          formatted("section {} should hold the names of the sections, but {}", h.shstrndx,
                    h.shstrndx >= elf_.sections.size() ? "there is no such section" : "it is not a string table"));
      return;
    }
    const Bytes table = elf_.sections[h.shstrndx].bytes;
    for (Section& s : elf_.sections) {
      if (s.type == kNull) {
        s.name.clear();
      } else if (const auto name = elf_string(table, s.name_offset)) {
        s.name = *name;
      } else {
        diagnostics_.error(
            DiagnosticKind::SectionName, {s.header_at, s.header_at + 4},
            formatted("section {} has its name at {:#x} of a string table of {:#x} bytes, where no string {}", s.index,
                      s.name_offset, table.size(), s.name_offset < table.size() ? "ends" : "begins"));
      }
    }
  }

  // sh_link of tables that have one, sh_info of relocations.
  void links() {
    const auto bad = [&](const Section& s, std::string_view field, std::uint32_t value, std::uint64_t at,
                         std::string_view what) {
      diagnostics_.error(DiagnosticKind::SectionLink, {at, at + 4},
                         formatted("{} of section {} `{}` is {}, {}", field, s.index, s.name, value, what));
    };
    for (const Section& s : elf_.sections) {
      const std::uint64_t link_at = s.header_at + (elf_.header.wide ? 40 : 24);
      const bool relocations = s.type == kRel || s.type == kRela;
      if (s.type != kSymtab && !relocations) continue;
      const std::uint32_t wanted = s.type == kSymtab ? kStrtab : kSymtab;
      if (s.link >= elf_.sections.size()) {
        bad(s, "sh_link", s.link, link_at, formatted("but there are {} sections", elf_.sections.size()));
      } else if (elf_.sections[s.link].type != wanted) {
        bad(s, "sh_link", s.link, link_at,
            formatted("which is not a {}", wanted == kStrtab ? "string table" : "symbol table"));
      }
      if (relocations && (s.info == 0 || s.info >= elf_.sections.size())) {
        bad(s, "sh_info", s.info, link_at + 4,
            formatted("which is not a section to relocate; there are {} sections", elf_.sections.size()));
      }
    }
  }

  // The number of whole entries of a table, 0 after an error.
  std::size_t entries_of(const Section& s, std::size_t entry_size, DiagnosticKind kind) {
    if (s.entry_size != entry_size || s.bytes.size() % entry_size != 0) {
      const std::uint64_t at = s.header_at + (elf_.header.wide ? 56 : 36);
      diagnostics_.error(kind, {at, at + (elf_.header.wide ? 8 : 4)},
                         formatted("section {} `{}` has {} bytes in entries of {}; an entry has {}", s.index, s.name,
                                   s.bytes.size(), s.entry_size, entry_size));
      return 0;
    }
    return s.bytes.size() / entry_size;
  }

  void symbols() {
    const Section* table = elf_.find_type(kSymtab);
    if (!table) return;
    const std::size_t size = elf_.header.symbol_size();
    const std::size_t count = entries_of(*table, size, DiagnosticKind::SymbolEntrySize);
    const Bytes strings = table->link < elf_.sections.size() ? elf_.sections[table->link].bytes : Bytes();
    elf_.symbols.reserve(count);
    for (std::uint32_t i = 0; i < count; ++i) {
      Symbol& s = elf_.symbols.emplace_back(*elf_symbol(table->bytes, elf_.header.wide, i), i);
      s.at = table->offset + i * size;
      if (i == 0 && s.name_offset == 0 && s.section == 0) continue;  // the reserved first entry of ELF
      if (const auto text = elf_string(strings, s.name_offset)) {
        s.name = *text;
      } else {
        diagnostics_.error(DiagnosticKind::SymbolName, {s.at, s.at + 4},
                           formatted("symbol {} has its name at {:#x} of a string table of {:#x} bytes", i,
                                     s.name_offset, strings.size()));
      }
      if (s.section >= elf_.sections.size() && s.section < 0xff00) {
        const std::uint64_t at = s.at + (elf_.header.wide ? 6 : 14);
        diagnostics_.error(
            DiagnosticKind::SymbolSection, {at, at + 2},
            formatted("symbol {} `{}` is of section {}, but there are {}", i, s.name, s.section, elf_.sections.size()));
      }
    }
  }

  void relocations() {
    // Sections may overlap, but all entries together may not exceed the number that fits in the file without overlaps.
    const std::size_t most = elf_.file.size() / 8;
    for (const Section& s : elf_.sections) {
      if (s.type != kRel && s.type != kRela) continue;
      const bool with_addend = s.type == kRela;
      const std::size_t size = elf_.header.relocation_size(with_addend);
      const std::size_t count = entries_of(s, size, DiagnosticKind::RelocEntrySize);
      if (count > most - elf_.relocations.size()) {
        diagnostics_.error(DiagnosticKind::RelocSection, {s.header_at, s.header_at + elf_.header.section_header_size()},
                           formatted("section {} `{}` shares its relocations with other sections", s.index, s.name));
        return;
      }
      for (std::size_t i = 0; i < count; ++i)
        relocation(s, {*elf_relocation(s.bytes, elf_.header.wide, with_addend, i), s.index, s.offset + i * size});
    }
  }

  void relocation(const Section& s, const Relocation& r) {
    elf_.relocations.push_back(r);
    const std::uint64_t info_at = r.at + (elf_.header.wide ? 8 : 4);
    if (r.symbol >= elf_.symbols.size()) {
      diagnostics_.error(DiagnosticKind::RelocSymbol, {info_at, info_at + (elf_.header.wide ? 8 : 4)},
                         formatted("a relocation of `{}` is against symbol {}, but there are {}", s.name, r.symbol,
                                   elf_.symbols.size()));
    }
    if (relocation_type_name(r.type).empty()) {
      diagnostics_.warning(DiagnosticKind::RelocType, {info_at, info_at + (elf_.header.wide ? 8 : 4)},
                           formatted("a relocation of `{}` is of unknown type {}", s.name, r.type));
    }
    if (s.info == 0 || s.info >= elf_.sections.size()) return;
    const Section& target = elf_.sections[s.info];
    const std::uint64_t width = r.type == 1 ? 8 : r.type == 7 ? 2 : r.type == 0 ? 0 : 4;
    const Size end = checked_add(r.offset, width);
    if (!end || *end > target.size) {
      diagnostics_.error(DiagnosticKind::RelocOffset, {r.at, r.at + (elf_.header.wide ? 8 : 4)},
                         formatted("a relocation of `{}` is at {:#x} of `{}`, which has {:#x} bytes", s.name, r.offset,
                                   target.name, target.size));
    }
  }

  void notes() {
    const Section* section = elf_.find(".note.intelgt.compat");
    if (!section || section->type != kNote) return;
    ByteReader in(section->bytes);
    while (in.remaining() > 0) {
      const std::uint64_t at = section->offset + in.offset();
      const auto owner_size = in.read<std::uint32_t>(), value_size = in.read<std::uint32_t>();
      Note note{.section = section->index, .type = in.read<std::uint32_t>(), .at = at};
      const Bytes owner = in.take(owner_size);
      in.take(round_up(std::uint64_t{owner_size}, 4) - owner_size);
      note.value = in.take(value_size);
      if (in.failed()) {
        diagnostics_.error(DiagnosticKind::NoteTruncated, {at, section->offset + section->bytes.size()},
                           formatted("note {} goes past the end of `{}`", elf_.notes.size(), section->name));
        return;
      }
      in.take(std::min<std::uint64_t>(round_up(std::uint64_t{value_size}, 4) - value_size, in.remaining()));
      note.owner = text_of(owner);
      note.owner = note.owner.substr(0, note.owner.find('\0'));
      elf_.notes.push_back(note);
    }
  }

  Elf elf_;
  ContainerDiagnostics& diagnostics_;
};

}  // namespace

const Section* Elf::find(std::string_view name) const {
  const auto found =
      std::ranges::find_if(sections, [&](const Section& s) { return s.type != kNull && s.name == name; });
  return found == sections.end() ? nullptr : &*found;
}

const Section* Elf::find_type(std::uint32_t type) const {
  const auto found = std::ranges::find(sections, type, &Section::type);
  return found == sections.end() ? nullptr : &*found;
}

std::optional<Elf> read_elf(Bytes file, ContainerDiagnostics& diagnostics) { return Reader(file, diagnostics).read(); }

namespace {

struct NumberName {
  std::uint32_t number;
  std::string_view name;
};

template <std::size_t N>
std::string_view name_in(const std::array<NumberName, N>& table, std::uint32_t number) {
  const auto found = std::ranges::find(table, number, &NumberName::number);
  return found == table.end() ? std::string_view() : found->name;
}

}  // namespace

std::string_view section_type_name(std::uint32_t type) {
  static constexpr auto kNames = std::to_array<NumberName>({{kNull, "NULL"},
                                                            {kProgbits, "PROGBITS"},
                                                            {kSymtab, "SYMTAB"},
                                                            {kStrtab, "STRTAB"},
                                                            {kRela, "RELA"},
                                                            {kNote, "NOTE"},
                                                            {kNobits, "NOBITS"},
                                                            {kRel, "REL"},
                                                            {kSpirv, "SPIRV"},
                                                            {kZeInfo, "ZEINFO"},
                                                            {kGtpinInfo, "GTPIN_INFO"},
                                                            {kVisaAsm, "VISAASM"},
                                                            {kMisc, "MISC"},
                                                            {kPisa, "PISA"}});
  return name_in(kNames, type);
}

std::string_view symbol_type_name(std::uint8_t type) {
  static constexpr auto kNames =
      std::to_array<NumberName>({{0, "NOTYPE"}, {1, "OBJECT"}, {2, "FUNC"}, {3, "SECTION"}, {4, "FILE"}});
  return name_in(kNames, type);
}

std::string_view symbol_binding_name(std::uint8_t binding) {
  static constexpr auto kNames = std::to_array<NumberName>({{0, "LOCAL"}, {1, "GLOBAL"}, {2, "WEAK"}});
  return name_in(kNames, binding);
}

std::string_view relocation_type_name(std::uint32_t type) {
  static constexpr auto kNames = std::to_array<NumberName>({{0, "NONE"},
                                                            {1, "SYM_ADDR"},
                                                            {2, "SYM_ADDR_32"},
                                                            {3, "SYM_ADDR_32_HI"},
                                                            {4, "PER_THREAD_PAYLOAD_OFFSET_32"},
                                                            {5, "GLOBAL_IMM_32"},
                                                            {6, "SEND"},
                                                            {7, "SYM_ADDR_16"}});
  return name_in(kNames, type);
}

std::string section_flags_text(std::uint64_t flags) {
  std::string text;
  if (flags & 1) text += 'W';
  if (flags & 2) text += 'A';
  if (flags & 4) text += 'X';
  if (const std::uint64_t rest = flags & ~std::uint64_t{7}) text += formatted("{}{:#x}", text.empty() ? "" : "+", rest);
  return text;
}

namespace {

// The length in bytes of the UTF-8 character at the start; 0 if it is invalid.
std::size_t character_length(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char first = byte(0);
  if (first < 0x80) return first >= 0x20 && first != 0x7f ? 1 : 0;
  const std::size_t length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  if (first < 0xc2 || first > 0xf4 || text.size() < length) return 0;
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xc0) != 0x80) return 0;
  }
  const bool overlong = (first == 0xe0 && byte(1) < 0xa0) || (first == 0xf0 && byte(1) < 0x90);
  const bool outside = (first == 0xed && byte(1) >= 0xa0) || (first == 0xf4 && byte(1) >= 0x90);
  return overlong || outside ? 0 : length;
}

}  // namespace

std::string printable(std::string_view name) {
  std::string text;
  while (!name.empty()) {
    const std::size_t length = character_length(name);
    if (length == 0) {
      text += formatted("\\x{:02x}", static_cast<unsigned char>(name[0]));
    } else {
      text += name.substr(0, length);
    }
    name.remove_prefix(std::max<std::size_t>(length, 1));
  }
  return text;
}

}  // namespace slipway::zebin
