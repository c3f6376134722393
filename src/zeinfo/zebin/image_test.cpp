// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "zeinfo/zebin/image.hpp"
#include "base/format.hpp"

#include <gmock/gmock.h>

#include <algorithm>

#include "testing/scratch_directory.hpp"
#include "testing/zebin_recipe.hpp"
#include "zeinfo/zebin/unpack.hpp"

namespace slipway::zebin {
namespace {

using ::testing::ElementsAre;

const std::string kTwoKernels = R"(
section .text.a PROGBITS AX zeros 64
section .text.b PROGBITS AX zeros 64
section .spv SPIRV - text module
section .misc.buildOptions MISC - text -cl-std=CL3.0
section .misc.specConstantsIds MISC - hex 07 00 00 00
section .misc.specConstantsValues MISC - hex 2a 00 00 00 00 00 00 00
section .note.intelgt.metrics NOTE - hex 00 00 00
section .visaasm VISAASM - text asm
section .debug_info PROGBITS - zeros 16
symbol a FUNC LOCAL .text.a 0 40
symbol _entry NOTYPE LOCAL .text.a 16 0
symbol b FUNC LOCAL .text.b 0 40
symbol .debug_info OBJECT LOCAL .debug_info 0 0
symbol .text.b OBJECT LOCAL .text.b 0 0
symbol R0 NOTYPE GLOBAL - 0 0
reloc .text.b 8 SYM_ADDR_32 R0
reloc .debug_info 0 SYM_ADDR .text.b 0
reloc .debug_info 8 SYM_ADDR a 0
ze_info
note 1 u32 1270
note 4 text 1.73
note 8 u32 1
)";
constexpr std::string_view kEmptyText = "---\nversion: '1.73'\nkernels: []\n...\n";

struct Opened {
  std::vector<std::byte> bytes;
  Diagnostics diagnostics;
  std::unique_ptr<ContainerDiagnostics> problems;
  std::optional<Zebin> zebin;
  std::optional<Image> image;
};

Opened open(std::vector<std::byte> bytes) {
  Opened opened{.bytes = std::move(bytes)};
  opened.problems = std::make_unique<ContainerDiagnostics>("k.bin", opened.diagnostics);
  opened.zebin = read_zebin(opened.bytes, *opened.problems);
  if (opened.zebin) opened.image = image_of(*opened.zebin, *opened.problems);
  return opened;
}

std::vector<std::string> section_names(const Zebin& zebin) {
  std::vector<std::string> names;
  for (const Section& s : zebin.elf.sections) {
    if (s.type != kNull) names.push_back(s.name);
  }
  return names;
}

std::vector<std::string_view> symbol_names(const Zebin& zebin) {
  std::vector<std::string_view> names;
  for (const Symbol& s : zebin.elf.symbols) names.push_back(s.name);
  return names;
}

TEST(Image, UnchangedIsWrittenTheSame) {
  for (const std::string_view wide : {"class 64", "class 32"}) {
    Opened o = open(testing::cook_zebin(std::string(wide) + kTwoKernels, kEmptyText));
    ASSERT_TRUE(o.image);
    EXPECT_EQ(write_image(*o.image), o.bytes);
  }
}

TEST(Image, RejectsInvalidFiles) {
  const Opened broken = open(testing::cook_zebin(kTwoKernels + "at 62 u16 99", kEmptyText));
  EXPECT_TRUE(broken.zebin);
  EXPECT_FALSE(broken.image);
  EXPECT_EQ(broken.diagnostics.all().back().kind, DiagnosticKind::FileFormat);
}

TEST(Strip, EachGroup) {
  EXPECT_FALSE(parse_strip("ir,everything"));
  Opened o = open(testing::cook_zebin(kTwoKernels, kEmptyText));
  ASSERT_TRUE(o.image);
  EXPECT_THAT(strip(*o.image, *parse_strip("ir")),
              ElementsAre(".spv", ".misc.specConstantsIds", ".misc.specConstantsValues"));
  EXPECT_THAT(strip(*o.image, *parse_strip("asm")), ElementsAre(".visaasm"));
  EXPECT_THAT(strip(*o.image, *parse_strip("metrics,options")),
              ElementsAre(".misc.buildOptions", ".note.intelgt.metrics"));
  EXPECT_THAT(strip(*o.image, *parse_strip("debug")), ElementsAre(".debug_info", ".rela.debug_info"));
  const Opened after = open(write_image(*o.image));
  ASSERT_TRUE(after.zebin);
  EXPECT_TRUE(after.diagnostics.empty());
  EXPECT_THAT(section_names(*after.zebin), ElementsAre(".text.a", ".text.b", ".rel.text.b", ".ze_info", ".symtab",
                                                       ".note.intelgt.compat", ".strtab"));
  // Symbols that only the debug data used are removed; the kernels, the entry and the global are kept in order.
  EXPECT_THAT(symbol_names(*after.zebin), ElementsAre("", "a", "_entry", "b", "R0"));
  // Indices are adjusted: the relocation is against R0 in `.text.b`, the symbol table counts 4 locals.
  ASSERT_EQ(after.zebin->elf.relocations.size(), 1);
  EXPECT_EQ(after.zebin->elf.symbols[after.zebin->elf.relocations[0].symbol].name, "R0");
  EXPECT_EQ(after.zebin->elf.sections[after.zebin->elf.find(".rel.text.b")->info].name, ".text.b");
  EXPECT_EQ(after.zebin->elf.find(".symtab")->info, 4);
  EXPECT_EQ(after.zebin->text(), kEmptyText);
  // Unused names are removed from the string table.
  EXPECT_FALSE(text_of(after.zebin->elf.find(".strtab")->bytes).contains("debug"));
}

TEST(ReplaceZeInfo, KeepsTheRest) {
  Opened o = open(testing::cook_zebin(kTwoKernels, kEmptyText));
  ASSERT_TRUE(o.image);
  const std::string longer = std::string(kEmptyText) + std::string(1000, '\0');
  replace_ze_info(*o.image, longer);
  set_version_note(*o.image, {1, 9});
  const Opened after = open(write_image(*o.image));
  ASSERT_TRUE(after.zebin);
  EXPECT_TRUE(after.diagnostics.empty());
  EXPECT_EQ(after.zebin->text(), longer);
  EXPECT_EQ(after.zebin->target.container_version, (zeinfo::Version{1, 9}));
  EXPECT_EQ(note_number(after.zebin->elf, 8), 1);
  EXPECT_THAT(section_names(*after.zebin), ::testing::ElementsAreArray(section_names(*o.zebin)));
}

TEST(SetVersionNote, IsRemovedBeforeVersion1) {
  Opened o = open(testing::cook_zebin(kTwoKernels, kEmptyText));
  ASSERT_TRUE(o.image);
  set_version_note(*o.image, zeinfo::Version::pre());
  const Opened after = open(write_image(*o.image));
  ASSERT_TRUE(after.zebin);
  EXPECT_FALSE(after.zebin->target.container_version);
  EXPECT_EQ(after.zebin->elf.notes.size(), 2);
}

TEST(ReplaceZeInfo, AddsTheSection) {
  Opened o = open(testing::cook_zebin("section .text.a PROGBITS AX zeros 64\nnote 4 text 1.73"));
  ASSERT_TRUE(o.image);
  EXPECT_EQ(o.zebin->text(), "");
  replace_ze_info(*o.image, kEmptyText);
  const Opened after = open(write_image(*o.image));
  ASSERT_TRUE(after.zebin);
  EXPECT_THAT(section_names(*after.zebin), ElementsAre(".text.a", ".ze_info", ".note.intelgt.compat", ".strtab"));
  EXPECT_EQ(after.zebin->text(), kEmptyText);
}

TEST(ReplaceZeInfo, AddsTheSectionToAFileWithoutSections) {
  Opened o = open(testing::cook_zebin("note 4 text 1.73"));
  ASSERT_TRUE(o.image);
  o.image->parts.clear();
  o.image->names = 0;
  Opened none = open(write_image(*o.image));
  ASSERT_TRUE(none.image);
  EXPECT_TRUE(none.image->parts.empty());
  replace_ze_info(*none.image, kEmptyText);
  const Opened after = open(write_image(*none.image));
  ASSERT_TRUE(after.zebin);
  EXPECT_THAT(section_names(*after.zebin), ElementsAre(".ze_info", ".strtab"));
  EXPECT_EQ(after.zebin->text(), kEmptyText);
}

TEST(RenameKernel, SectionsSymbolsRelocations) {
  Opened o = open(testing::cook_zebin(kTwoKernels, kEmptyText));
  ASSERT_TRUE(o.image);
  ASSERT_TRUE(rename_kernel(*o.image, "b", "a longer name"));
  const Opened after = open(write_image(*o.image));
  ASSERT_TRUE(after.zebin);
  EXPECT_TRUE(after.zebin->elf.find(".text.a longer name"));
  EXPECT_TRUE(after.zebin->elf.find(".rel.text.a longer name"));
  EXPECT_FALSE(after.zebin->elf.find(".text.b"));
  EXPECT_EQ(after.zebin->elf.symbols[3].name, "a longer name");
  EXPECT_EQ(rename_kernel(*o.image, "missing", "x").error()[0].kind, DiagnosticKind::UnknownReference);
  EXPECT_EQ(rename_kernel(*o.image, "a", "a longer name").error()[0].kind, DiagnosticKind::DuplicateName);
}

TEST(NewerThan, ListsNotesAndSections) {
  const Opened o = open(testing::cook_zebin(kTwoKernels, kEmptyText));
  ASSERT_TRUE(o.image);
  EXPECT_THAT(newer_than(*o.image, {1, 73}), ElementsAre());
  EXPECT_THAT(newer_than(*o.image, {1, 57}),
              ElementsAre("section `.misc.specConstantsIds`", "section `.misc.specConstantsValues`", "note 8"));
}

TEST(Spirv, ModuleAndConstants) {
  const Opened o = open(testing::cook_zebin(kTwoKernels, kEmptyText));
  ASSERT_TRUE(o.zebin);
  const std::optional<SpirvPart> part = spirv_of(o.zebin->elf);
  ASSERT_TRUE(part);
  EXPECT_EQ(text_of(part->module), "module");
  EXPECT_THAT(part->constants, ElementsAre(SpecConstant{7, 42}));
  const Opened none = open(testing::cook_zebin("section .text.a PROGBITS AX zeros 64"));
  ASSERT_TRUE(none.zebin);
  EXPECT_FALSE(spirv_of(none.zebin->elf));
}

// --- directories -----------------------------------------------------------------------------------------------------

TEST(Unpack, BackByteForByteThroughADirectory) {
  const testing::ScratchDirectory directory;
  const Opened o = open(testing::cook_zebin(kTwoKernels, kEmptyText));
  ASSERT_TRUE(o.zebin);
  ASSERT_TRUE(unpack_to(o.zebin->elf, directory / "u"));
  EXPECT_TRUE(file_exists(directory / "u" / "001-.text.a"));
  const Result<Packed> packed = pack_from(directory / "u");
  ASSERT_TRUE(packed);
  EXPECT_FALSE(packed->has_new_layout);
  EXPECT_EQ(packed->bytes, o.bytes);
}

TEST(Unpack, AnEditedFileGetsANewLayout) {
  const testing::ScratchDirectory directory;
  const Opened o = open(testing::cook_zebin(kTwoKernels, kEmptyText));
  ASSERT_TRUE(o.zebin);
  ASSERT_TRUE(unpack_to(o.zebin->elf, directory / "u"));
  const Path text = directory / "u" / formatted("{:03}-.ze_info", o.zebin->elf.find(".ze_info")->index);
  ASSERT_TRUE(write_file(text, "---\nversion: '1.73'\nkernels: []\n# longer\n...\n"));
  const Result<Packed> packed = pack_from(directory / "u");
  ASSERT_TRUE(packed);
  EXPECT_TRUE(packed->has_new_layout);
  const Opened after = open(packed->bytes);
  ASSERT_TRUE(after.zebin);
  EXPECT_TRUE(after.diagnostics.empty());
  EXPECT_TRUE(after.zebin->text().contains("# longer"));
  EXPECT_EQ(symbol_names(*after.zebin), symbol_names(*o.zebin));
  EXPECT_EQ(after.zebin->elf.relocations.size(), 3);
}

// Two sections over the same bytes, as JIT compilers make them.
TEST(Unpack, SectionsThatShareBytesMustAgree) {
  Opened o = open(testing::cook_zebin("section .debug_str PROGBITS - zeros 8\nsection .copy PROGBITS - zeros 8"));
  ASSERT_TRUE(o.zebin);
  std::vector<std::byte> shared = o.bytes;
  const Section& first = *o.zebin->elf.find(".debug_str");
  const Section& second = *o.zebin->elf.find(".copy");
  std::memcpy(&shared[second.header_at + 24], &shared[first.header_at + 24], 8);
  const Opened aliased = open(shared);
  ASSERT_TRUE(aliased.zebin);
  const testing::ScratchDirectory directory;
  ASSERT_TRUE(unpack_to(aliased.zebin->elf, directory.path()));
  const Result<Packed> same = pack_from(directory.path());
  ASSERT_TRUE(same);
  EXPECT_EQ(same->bytes, shared);
  ASSERT_TRUE(write_file(directory / "002-.copy", "DIFFERS!"));
  const Result<Packed> differs = pack_from(directory.path());
  ASSERT_FALSE(differs);
  EXPECT_EQ(differs.error()[0].kind, DiagnosticKind::SectionAlias);
}

// A section table at an odd offset, after bytes that no part covers; the bytes of the old table are not covered either.
TEST(Unpack, OddOffsetsAndGaps) {
  std::vector<std::byte> bytes = testing::cook_zebin(kTwoKernels, kEmptyText);
  const std::uint64_t table = load<std::uint64_t>(&bytes[40]), size = bytes.size() - table;
  for (const char c : std::string_view("gap")) bytes.push_back(static_cast<std::byte>(c));
  const std::uint64_t moved = bytes.size();
  bytes.resize(moved + size);
  std::copy_n(bytes.begin() + static_cast<std::ptrdiff_t>(table), size,
              bytes.begin() + static_cast<std::ptrdiff_t>(moved));
  store(&bytes[40], moved);
  const Opened o = open(bytes);
  ASSERT_TRUE(o.zebin);
  EXPECT_TRUE(o.diagnostics.empty());
  const testing::ScratchDirectory directory;
  ASSERT_TRUE(unpack_to(o.zebin->elf, directory.path()));
  const Result<Packed> packed = pack_from(directory.path());
  ASSERT_TRUE(packed);
  EXPECT_FALSE(packed->has_new_layout);
  EXPECT_EQ(packed->bytes, bytes);
}

// A hundred sections over the same megabyte are a directory of a hundred megabytes.
TEST(Unpack, SharedBytesAreNotMultiplied) {
  std::string recipe = "section .text.k PROGBITS AX zeros 100000\n";
  for (int i = 0; i < 100; ++i) recipe += formatted("section .text.k{} PROGBITS AX size 0\n", i);
  const Opened one = open(testing::cook_zebin(recipe));
  ASSERT_TRUE(one.zebin);
  std::vector<std::byte> bytes = one.bytes;
  const std::uint64_t first = one.zebin->elf.find(".text.k")->header_at;
  for (const Section& s : one.zebin->elf.sections) {
    if (s.type == kProgbits) std::memcpy(&bytes[s.header_at + 24], &one.bytes[first + 24], 16);
  }
  const Opened shared = open(bytes);
  ASSERT_TRUE(shared.zebin);
  const auto files = unpack(shared.zebin->elf);
  ASSERT_FALSE(files);
  EXPECT_EQ(files.error()[0].kind, DiagnosticKind::FileFormat);
}

TEST(Unpack, AnotherNameRenames) {
  const testing::ScratchDirectory directory;
  const Opened o = open(testing::cook_zebin(kTwoKernels, kEmptyText));
  ASSERT_TRUE(o.zebin);
  ASSERT_TRUE(unpack_to(o.zebin->elf, directory.path()));
  std::string manifest = *read_text(directory / "zebin.json");
  manifest.replace(manifest.find("\".text.a\""), 9, "\".text.z\"");
  ASSERT_TRUE(write_file(directory / "zebin.json", manifest));
  const Result<Packed> packed = pack_from(directory.path());
  ASSERT_TRUE(packed);
  const Opened after = open(packed->bytes);
  ASSERT_TRUE(after.zebin);
  EXPECT_TRUE(after.zebin->elf.find(".text.z"));
}

TEST(Unpack, BadManifests) {
  const auto kind_of = [](const std::string& manifest) {
    const Result<Packed> packed =
        pack(make_source("zebin.json", manifest),
             [](const std::string&) -> Result<std::vector<std::byte>> { return std::vector<std::byte>(4); });
    return packed ? std::string_view("none") : name_of(packed.error()[0].kind);
  };
  const std::string ident = "f0VMRgIBAQAAAAAAAAAAAA==";
  const auto manifest = [&](std::string_view size, std::string_view head, std::string_view sections,
                            std::string_view gaps) {
    return formatted(
        R"({{"format": "zebin", "size": {}, "header": {{"class": 64, "ident": "{}", "type": 1, "machine": 205, "version": 1,
      "entry": 0, "phoff": 0, "shoff": 0, "flags": 0, "ehsize": 64, "phentsize": 0, "phnum": 0, "shentsize": 64, "shnum": 0, "shstrndx": 0}},
      "sections": [{}], "gaps": [{}]}})",
        size, head, sections, gaps);
  };
  EXPECT_EQ(kind_of(manifest("64", ident, "", "")), "none");
  EXPECT_EQ(kind_of(manifest("99999999999999", ident, "", "")), "out-of-range");  // nothing to fill it with
  EXPECT_EQ(kind_of(manifest("64", "AAAA", "", "")), "out-of-range");
  EXPECT_EQ(kind_of(manifest("64", ident, "", R"({"offset": 18446744073709551615, "bytes": "AAAA"})")), "out-of-range");
  EXPECT_EQ(kind_of(manifest("67", ident, "", R"({"offset": 64, "bytes": "A"})")), "out-of-range");
  EXPECT_EQ(kind_of("{}"), "missing-key");
  EXPECT_EQ(kind_of("["), "json-syntax");
  EXPECT_EQ(kind_of(manifest("-1", ident, "", "")), "out-of-range");
  const testing::ScratchDirectory directory;
  ASSERT_TRUE(write_file(directory / "zebin.json",
                         manifest("200", ident, R"({"index": 0, "name": "", "name_offset": 0, "type": 1, "flags": 0,
      "addr": 0, "offset": 64, "size": 4, "link": 0, "info": 0, "addralign": 0, "entsize": 0, "file": "../../etc/passwd"})",
                                  "")));
  EXPECT_EQ(pack_from(directory.path()).error()[0].kind, DiagnosticKind::PathOutside);
}

}  // namespace
}  // namespace slipway::zebin
