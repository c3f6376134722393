// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "zeinfo/zebin/elf.hpp"
#include "base/format.hpp"

#include <gmock/gmock.h>

#include <algorithm>

#include "testing/zebin_recipe.hpp"
#include "zeinfo/zebin/unpack.hpp"

namespace slipway::zebin {
namespace {

using ::testing::ElementsAre;

// A kernel with a relocation in its code, debug data with one of the other form, and notes.
const std::string kKernel = R"(
section .text.k PROGBITS AX zeros 64
section .debug_info PROGBITS - zeros 16
section .bss.global NOBITS WA size 4096
symbol k FUNC LOCAL .text.k 0 40
symbol _entry NOTYPE LOCAL .text.k 16 0
symbol g OBJECT GLOBAL .bss.global 8 4
reloc .text.k 8 SYM_ADDR_32 g
reloc .debug_info 0 SYM_ADDR k 5
ze_info
note 1 u32 1270
note 2 u32 3079
note 4 text 1.73
note 6 u32 0x030dc008
)";
constexpr std::string_view kText = "---\nversion: '1.73'\nkernels: []\n...\n";

struct Read {
  std::vector<std::byte> bytes;
  Diagnostics diagnostics;
  std::optional<Zebin> zebin;
};

Read read(std::vector<std::byte> bytes, bool checking = true) {
  Read result{.bytes = std::move(bytes)};
  ContainerDiagnostics problems("k.bin", result.diagnostics);
  result.zebin = read_zebin(result.bytes, problems);
  if (result.zebin && checking) check_container(*result.zebin, problems);
  return result;
}

std::vector<std::string> kinds(const Diagnostics& diagnostics) {
  std::vector<std::string> names;
  for (const Diagnostic& diagnostic : diagnostics.all()) names.push_back(formatted("[{}]", name_of(diagnostic.kind)));
  return names;
}

TEST(Elf, ReadsBothClasses) {
  for (const std::string_view wide : {"class 64", "class 32"}) {
    const Read r = read(testing::cook_zebin(std::string(wide) + kKernel, kText));
    EXPECT_THAT(kinds(r.diagnostics), ElementsAre()) << wide;
    ASSERT_TRUE(r.zebin);
    const Elf& elf = r.zebin->elf;
    std::vector<std::string> names;
    for (const Section& s : elf.sections) names.push_back(s.name);
    EXPECT_THAT(names, ElementsAre("", ".text.k", ".debug_info", ".bss.global", ".rel.text.k", ".rela.debug_info",
                                   ".ze_info", ".symtab", ".note.intelgt.compat", ".strtab"));
    EXPECT_EQ(r.zebin->text(), kText);
    ASSERT_EQ(elf.symbols.size(), 4);
    EXPECT_EQ(elf.symbols[1].name, "k");
    EXPECT_EQ(elf.symbols[1].size, 40);
    EXPECT_EQ(symbol_type_name(elf.symbols[1].type()), "FUNC");
    EXPECT_EQ(symbol_binding_name(elf.symbols[3].binding()), "GLOBAL");
    EXPECT_EQ(elf.sections[elf.symbols[3].section].name, ".bss.global");
    ASSERT_EQ(elf.relocations.size(), 2);
    EXPECT_EQ(elf.relocations[0].offset, 8);
    EXPECT_EQ(elf.relocations[0].symbol, 3);
    EXPECT_EQ(relocation_type_name(elf.relocations[0].type), "SYM_ADDR_32");
    EXPECT_EQ(elf.relocations[1].addend, 5);
    EXPECT_EQ(note_number(elf, 1), 1270);
    EXPECT_EQ(r.zebin->target.address_bytes, wide == "class 64" ? 8 : 4);
    ASSERT_TRUE(r.zebin->target.device);
    EXPECT_EQ(r.zebin->target.device->name(), "dg2-g10");
    EXPECT_EQ(r.zebin->target.container_version, (zeinfo::Version{1, 73}));
    ASSERT_TRUE(r.zebin->target.find_code("k"));
    EXPECT_EQ(r.zebin->target.find_code("k")->size, 64);
  }
}

TEST(Elf, OldMachinesNameTheDevice) {
  const Read family =
      read(testing::cook_zebin("type 0xff12\nmachine 29\nflags 0x200000\nsection .text.k PROGBITS - zeros 8"));
  ASSERT_TRUE(family.zebin);
  EXPECT_EQ(family.zebin->target.family, 29);
  EXPECT_EQ(family.zebin->generator(), "igc");
  const Read core = read(testing::cook_zebin("type 0xff12\nmachine 3080\nflags 0x8000"));
  ASSERT_TRUE(core.zebin);
  EXPECT_EQ(core.zebin->target.grf_bytes, 64);
}

struct BadCase {
  std::string recipe;
  std::vector<std::string> kinds;
};

TEST(Elf, ReportsErrors) {
  // Offsets of header fields: e_ident[5] 5, e_type 16, e_machine 18, e_shoff 40, e_shentsize 58, e_shnum 60,
  // e_shstrndx 62.
  const BadCase cases[] = {
      {kKernel + "at 0 u8 0", {"[not-recognised]"}},
      {kKernel + "cut 40", {"[not-recognised]"}},
      {kKernel + "cut 3", {"[not-recognised]"}},
      {kKernel + "at 4 u8 3", {"[unsupported-container]"}},
      {kKernel + "at 5 u8 2", {"[unsupported-container]"}},
      {kKernel + "type 0xff04", {"[unsupported-container]"}},
      {kKernel + "type 2", {"[unsupported-container]"}},
      {kKernel + "at 58 u16 63", {"[elf-header]"}},
      {kKernel + "at 40 u64 0xffffffffffffffc0", {"[elf-out-of-bounds]"}},
      {kKernel + "at 62 u16 1", {"[section-name]"}},
      {kKernel + "at 62 u16 99", {"[section-name]"}},
      {"machine 9999\nsection .text.k PROGBITS AX zeros 8", {"[machine-unknown]"}},
      {"type 0xff12\nnote 1 u32 1270", {"[reassembled]"}},
      {"section .symtab SYMTAB - zeros 24\nsection .ze_info ZEINFO - text a\nsection .ze_info ZEINFO - text b",
       {"[symbol-entry-size]", "[section-unique]"}},
      {"section .spv SPIRV - zeros 4\nsection .spv SPIRV - zeros 4", {"[section-unique]"}},
      {"section .misc.specConstantsIds MISC - zeros 4", {"[spec-constants]"}},
      {"section .misc.specConstantsIds MISC - zeros 8\nsection .misc.specConstantsValues MISC - zeros 8",
       {"[spec-constants]"}},
      {"section .misc.specConstantsIds MISC - zeros 4\nsection .misc.specConstantsValues MISC - zeros 8", {}},
      {"note 77 u32 1", {"[note-unknown]"}},
      {"note 1 text 1", {"[note-size]"}},
      {"note 4 raw 1.73", {"[note-version]"}},
      {"note 4 text one", {"[note-version]"}},
      {"section .note.intelgt.compat NOTE - hex 04 00 00 00 04 00 00 00 01 00 00 00 41 42 43 00 01 00 00 00",
       {"[note-owner]"}},
      {"section .note.intelgt.compat NOTE - hex 08 00 00 00 ff ff ff ff 01 00 00 00 49 6e", {"[note-truncated]"}},
      {"section .text.k PROGBITS AX zeros 8\nsymbol k FUNC LOCAL 77 0 8", {}},
      {"section .text.k PROGBITS AX zeros 8\nsymbol k FUNC LOCAL .text.k 0 8\nreloc .text.k 6 SYM_ADDR_32 k",
       {"[reloc-offset]"}},
      {"section .text.k PROGBITS AX zeros 8\nsymbol k FUNC LOCAL .text.k 0 8\nreloc .text.k 0 99 k", {"[reloc-type]"}},
  };
  for (const BadCase& bad : cases) {
    const Read r = read(testing::cook_zebin(bad.recipe, kText));
    EXPECT_EQ(kinds(r.diagnostics), bad.kinds) << bad.recipe;
  }
}

// The file offset of a field of a section's header.
std::uint64_t header_field(const Read& r, std::string_view section, std::uint64_t field) {
  return r.zebin->elf.find(section)->header_at + field;
}

TEST(Elf, ReportsErrorsInTables) {
  const Read good = read(testing::cook_zebin(kKernel, kText));
  ASSERT_TRUE(good.zebin);
  struct Patch {
    std::uint64_t at;
    std::uint64_t value;
    int size;
    std::string kind;
  };
  const auto symbols = good.zebin->elf.find(".symtab")->offset,
             relocations = good.zebin->elf.find(".rel.text.k")->offset;
  const Patch patches[] = {
      {header_field(good, ".text.k", 24), ~std::uint64_t{0} - 3, 8, "[elf-out-of-bounds]"},
      {header_field(good, ".text.k", 32), std::uint64_t{1} << 40, 8, "[elf-out-of-bounds]"},
      {header_field(good, ".text.k", 0), 0xffff, 4, "[section-name]"},
      {header_field(good, ".symtab", 40), 99, 4, "[section-link]"},
      {header_field(good, ".rel.text.k", 40), 1, 4, "[section-link]"},
      {header_field(good, ".rel.text.k", 44), 99, 4, "[section-link]"},
      {header_field(good, ".symtab", 56), 23, 8, "[symbol-entry-size]"},
      {header_field(good, ".rel.text.k", 56), 0, 8, "[reloc-entry-size]"},
      {symbols + 24, 0xffff, 4, "[symbol-name]"},
      {symbols + 24 + 6, 77, 2, "[symbol-section]"},
      {relocations + 12, 77, 4, "[reloc-symbol]"},
      {relocations, 4096, 8, "[reloc-offset]"},
      {relocations + 8, 78, 4, "[reloc-type]"},
  };
  for (const Patch& patch : patches) {
    std::vector<std::byte> bytes = good.bytes;
    std::memcpy(&bytes[patch.at], &patch.value, static_cast<std::size_t>(patch.size));
    const Read r = read(std::move(bytes));
    const std::vector<std::string> found = kinds(r.diagnostics);
    ASSERT_FALSE(found.empty()) << patch.kind;
    EXPECT_EQ(found[0], patch.kind);
    EXPECT_EQ(r.diagnostics.all()[0].location.kind, SourceLocation::Kind::Bytes);
    // The location is the field, or the entry that contains it.
    EXPECT_LE(r.diagnostics.all()[0].location.span.begin, patch.at) << patch.kind;
    EXPECT_GT(r.diagnostics.all()[0].location.span.end + 12, patch.at) << patch.kind;
  }
}

TEST(Elf, RelocationsThatShareBytesAreBounded) {
  std::string recipe = "section .text.k PROGBITS AX zeros 8\nsymbol k FUNC LOCAL .text.k 0 8\n";
  for (int i = 0; i < 500; ++i) recipe += "reloc .text.k 0 SYM_ADDR_32 k\n";
  for (int i = 0; i < 300; ++i) recipe += "section .rel" + std::to_string(i) + " REL - size 0\n";
  const Read one = read(testing::cook_zebin(recipe));
  ASSERT_TRUE(one.zebin);
  // Every section of relocations gets the bytes of the first.
  std::vector<std::byte> bytes = one.bytes;
  const Section& first = *one.zebin->elf.find(".rel.text.k");
  for (const Section& s : one.zebin->elf.sections) {
    if (s.type == kRel) std::memcpy(&bytes[s.header_at + 24], &bytes[first.header_at + 24], 40);
  }
  const Read r = read(std::move(bytes));
  ASSERT_TRUE(r.zebin);
  EXPECT_TRUE(std::ranges::contains(kinds(r.diagnostics), "[reloc-section]"));
  EXPECT_LE(r.zebin->elf.relocations.size(), r.bytes.size() / 8);
}

TEST(Container, VerdictsOfRuntimeReleases) {
  const auto kinds_at = [](const std::string& recipe, int release) {
    Read r = read(testing::cook_zebin(recipe, kText), false);
    ContainerDiagnostics problems("k.bin", r.diagnostics);
    check_container_for(*r.zebin, zeinfo::Release{release}, problems);
    return kinds(r.diagnostics);
  };
  const std::string kernel = "section .text.k PROGBITS AX zeros 8\n";
  EXPECT_THAT(kinds_at(kKernel, 2631), ElementsAre());
  // The file type was introduced by 21.29, as was the section type of notes.
  EXPECT_THAT(kinds_at(kernel, 2105), ElementsAre("[runtime-refuses]"));
  EXPECT_THAT(kinds_at("type 0xff12\n" + kernel, 2032), ElementsAre());
  EXPECT_THAT(kinds_at(kernel + "section .pisa PISA - text x", 2618), ElementsAre("[runtime-refuses]"));
  EXPECT_THAT(kinds_at(kernel + "section .bss.global NOBITS WA size 8", 2249), ElementsAre("[runtime-refuses]"));
  EXPECT_THAT(kinds_at(kernel + "section .mine PROGBITS - text x", 2631), ElementsAre("[runtime-refuses]"));
  EXPECT_THAT(kinds_at(kernel + "section .mine 0x70000001 - text x", 2631), ElementsAre("[runtime-refuses]"));
  EXPECT_THAT(kinds_at(kernel + "note 8 u32 1", 2527), ElementsAre("[runtime-warns]"));
  EXPECT_THAT(kinds_at(kernel + "note 8 u32 1", 2531), ElementsAre());
  EXPECT_THAT(kinds_at(kernel + "section .note.intelgt.metrics NOTE - hex 00 00 00 00", 2627),
              ElementsAre("[runtime-warns]"));
}

TEST(Elf, PrintableNames) {
  EXPECT_EQ(printable("a b\"c"), "a b\"c");
  EXPECT_EQ(printable("\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80"), "\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80");
  EXPECT_EQ(printable("\n\x7f\xff\xc3"), "\\x0a\\x7f\\xff\\xc3");
  EXPECT_EQ(printable("\xed\xa0\x80"), "\\xed\\xa0\\x80");           // a surrogate
  EXPECT_EQ(printable("\xf4\x90\x80\x80"), "\\xf4\\x90\\x80\\x80");  // beyond Unicode
  EXPECT_EQ(printable("\xc0\x80"), "\\xc0\\x80");                    // overlong
}

Result<Packed> repacked(const Elf& elf) {
  Result<std::vector<UnpackedFile>> files = unpack(elf);
  if (!files) return fail(std::move(files.error()));
  return pack(make_source("zebin.json", std::string(text_of(files->front().bytes))),
              [&](const std::string& name) -> Result<std::vector<std::byte>> {
                const auto file = std::ranges::find(*files, name, &UnpackedFile::name);
                if (file == files->end()) return fail(DiagnosticKind::FileNotFound, {}, name);
                return file->bytes;
              });
}

// Every byte of the header, the section headers, the symbols, the relocations and the notes, changed in four ways:
// never a crash, the same result twice, and readable files survive unpacking and packing unchanged.
TEST(Elf, EveryChangedByteIsHandled) {
  for (const std::string_view wide : {"class 64", "class 32"}) {
    const Read good = read(testing::cook_zebin(std::string(wide) + kKernel, kText));
    ASSERT_TRUE(good.zebin);
    std::vector<Span> tables = {{0, good.zebin->elf.header.size()}, {good.zebin->elf.header.shoff, good.bytes.size()}};
    for (const std::string_view name :
         {".symtab", ".rel.text.k", ".rela.debug_info", ".note.intelgt.compat", ".strtab"}) {
      tables.push_back(good.zebin->elf.find(name)->span());
    }
    int repacks = 0;
    for (const Span& table : tables) {
      for (std::uint64_t at = table.begin; at < table.end; ++at) {
        for (const unsigned change : {0x01u, 0x80u, 0xffu, std::to_integer<unsigned>(good.bytes[at])}) {
          std::vector<std::byte> bytes = good.bytes;
          bytes[at] ^= static_cast<std::byte>(change);
          const Read first = read(bytes), second = read(bytes);
          ASSERT_EQ(kinds(first.diagnostics), kinds(second.diagnostics));
          ASSERT_TRUE(first.zebin || first.diagnostics.has_errors());
          if (!first.zebin || at % 5 != 0) continue;  // each fifth byte, for time
          const Result<Packed> packed = repacked(first.zebin->elf);
          if (!packed) continue;  // sections that share too much
          ++repacks;
          ASSERT_TRUE(packed->has_new_layout || packed->bytes == bytes) << "byte " << at << " changed by " << change;
        }
      }
    }
    EXPECT_GT(repacks, 200);
  }
}

}  // namespace
}  // namespace slipway::zebin
