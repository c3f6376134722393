// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/elf.hpp"

#include <gmock/gmock.h>

namespace slipway {
namespace {

using namespace std::literals;

std::vector<std::byte> header(bool wide, std::uint64_t table) {
  ByteWriter out;
  out.append(
      "\x7f"
      "ELF"sv);
  out.write<std::uint8_t>(wide ? 2 : 1).write<std::uint8_t>(1).pad_to(16);
  out.write<std::uint16_t>(3).write<std::uint16_t>(62).write<std::uint32_t>(1);
  for (const std::uint64_t word : {std::uint64_t{7}, std::uint64_t{8}, table})
    wide ? out.write(word) : out.write(static_cast<std::uint32_t>(word));
  out.write<std::uint32_t>(0);
  for (const std::uint16_t half : {52, 0, 0, 40, 1, 9}) out.write(half);
  return out.release();
}

TEST(Elf, HeadersOfBothClasses) {
  for (const bool wide : {false, true}) {
    const std::vector<std::byte> bytes = header(wide, 100);
    const std::optional<ElfHeader> read = read_elf_header(bytes);
    ASSERT_TRUE(read);
    EXPECT_EQ(read->wide, wide);
    EXPECT_EQ(read->size(), bytes.size());
    EXPECT_EQ(read->machine, 62);
    EXPECT_EQ(read->entry, 7u);
    EXPECT_EQ(read->shoff, 100u);
    EXPECT_EQ(read->shstrndx, 9);
    EXPECT_FALSE(read_elf_header(Bytes(bytes).first(bytes.size() - 1)));
  }
  EXPECT_FALSE(
      read_elf_header(bytes_of("\x7f"
                               "ELG")));
  EXPECT_FALSE(read_elf_header({}));
}

TEST(Elf, SectionsOutsideTheFileHaveNoValue) {
  std::vector<std::byte> bytes = header(true, 64);
  bytes.resize(64 + 64);
  store(&bytes[64 + 24], std::uint64_t{5});  // the offset
  const ElfHeader read = *read_elf_header(bytes);
  ASSERT_TRUE(elf_section(bytes, read, 0));
  EXPECT_EQ(elf_section(bytes, read, 0)->offset, 5u);
  EXPECT_FALSE(elf_section(bytes, read, 1));
  EXPECT_FALSE(elf_section(bytes, read, ~std::uint64_t{0}));
  ElfHeader far = read;
  far.shoff = ~std::uint64_t{0} - 8;
  EXPECT_FALSE(elf_section(bytes, far, 0));
}

TEST(Elf, SymbolsOfBothClasses) {
  ByteWriter narrow, wide;
  narrow.write<std::uint32_t>(1).write<std::uint32_t>(2).write<std::uint32_t>(3);
  narrow.write<std::uint8_t>(0x12).write<std::uint8_t>(0).write<std::uint16_t>(4);
  wide.write<std::uint32_t>(1).write<std::uint8_t>(0x12).write<std::uint8_t>(0).write<std::uint16_t>(4);
  wide.write<std::uint64_t>(2).write<std::uint64_t>(3);
  for (const bool is_wide : {false, true}) {
    const Bytes table = is_wide ? wide.bytes() : narrow.bytes();
    const std::optional<ElfSymbol> symbol = elf_symbol(table, is_wide, 0);
    ASSERT_TRUE(symbol);
    EXPECT_EQ(symbol->name_offset, 1u);
    EXPECT_EQ(symbol->value, 2u);
    EXPECT_EQ(symbol->size, 3u);
    EXPECT_EQ(symbol->section, 4);
    EXPECT_EQ(symbol->type(), 2);
    EXPECT_EQ(symbol->binding(), 1);
    EXPECT_FALSE(elf_symbol(table, is_wide, 1));
  }
}

TEST(Elf, RelocationsOfBothClasses) {
  ByteWriter narrow, wide;
  narrow.write<std::uint32_t>(8).write<std::uint32_t>(5 << 8 | 2).write<std::int32_t>(-4);
  wide.write<std::uint64_t>(8).write(std::uint64_t{5} << 32 | 2).write<std::int64_t>(-4);
  for (const bool is_wide : {false, true}) {
    const Bytes table = is_wide ? wide.bytes() : narrow.bytes();
    const std::optional<ElfRelocation> relocation = elf_relocation(table, is_wide, true, 0);
    ASSERT_TRUE(relocation);
    EXPECT_EQ(relocation->offset, 8u);
    EXPECT_EQ(relocation->symbol, 5u);
    EXPECT_EQ(relocation->type, 2u);
    EXPECT_EQ(relocation->addend, -4);
    EXPECT_FALSE(elf_relocation(table, is_wide, true, 1));
    EXPECT_EQ(elf_relocation(table, is_wide, false, 0)->addend, std::nullopt);
  }
}

TEST(Elf, RangesAndNames) {
  const Bytes table = bytes_of("\0kernel\0end"sv);
  EXPECT_TRUE(range_of(table, 11, 0));
  EXPECT_FALSE(range_of(table, 12, 0));
  EXPECT_FALSE(range_of(table, 8, 4));
  EXPECT_FALSE(range_of(table, 8, ~std::uint64_t{0}));
  EXPECT_FALSE(range_of(table, 0, std::nullopt));
  EXPECT_EQ(elf_string(table, 0), "");
  EXPECT_EQ(elf_string(table, 1), "kernel");
  EXPECT_EQ(elf_string(table, 1, 6), "kernel");
  EXPECT_EQ(elf_string(table, 1, 5), std::nullopt);
  EXPECT_EQ(elf_string(table, 8), std::nullopt);   // does not end
  EXPECT_EQ(elf_string(table, 11), std::nullopt);  // outside
}

}  // namespace
}  // namespace slipway
