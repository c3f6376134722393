// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Numbers of ELF files, with the names that the specifications give them. (elf.hpp has the tables.)
#pragma once

#include <cstdint>

namespace slipway {

// A byte of the identification.
inline constexpr std::uint32_t EI_OSABI = 7;

// Byte orders.
inline constexpr std::uint32_t ELFDATA2LSB = 1;

// Kinds of files.
inline constexpr std::uint32_t ET_REL = 1;
inline constexpr std::uint32_t ET_DYN = 3;

// Machines.
inline constexpr std::uint32_t EM_X86_64 = 62;
inline constexpr std::uint32_t EM_AARCH64 = 183;

// Sections.
inline constexpr std::uint32_t SHN_UNDEF = 0;
inline constexpr std::uint32_t SHT_PROGBITS = 1;
inline constexpr std::uint32_t SHF_ALLOC = 2;
inline constexpr std::uint32_t SHT_SYMTAB = 2;
inline constexpr std::uint32_t SHT_RELA = 4;
inline constexpr std::uint32_t SHT_NOTE = 7;
inline constexpr std::uint32_t SHT_NOBITS = 8;
inline constexpr std::uint32_t SHT_DYNSYM = 11;
inline constexpr std::uint32_t SHT_GROUP = 17;

// Symbols.
inline constexpr std::uint32_t STB_LOCAL = 0;
inline constexpr std::uint32_t STT_OBJECT = 1;
inline constexpr std::uint32_t STT_FUNC = 2;

// Relocations of AArch64.
inline constexpr std::uint32_t R_AARCH64_ABS64 = 257;
inline constexpr std::uint32_t R_AARCH64_PREL64 = 260;
inline constexpr std::uint32_t R_AARCH64_PREL32 = 261;
inline constexpr std::uint32_t R_AARCH64_LD_PREL_LO19 = 273;
inline constexpr std::uint32_t R_AARCH64_ADR_PREL_LO21 = 274;
inline constexpr std::uint32_t R_AARCH64_ADR_PREL_PG_HI21 = 275;
inline constexpr std::uint32_t R_AARCH64_ADD_ABS_LO12_NC = 277;
inline constexpr std::uint32_t R_AARCH64_LDST8_ABS_LO12_NC = 278;
inline constexpr std::uint32_t R_AARCH64_CONDBR19 = 280;
inline constexpr std::uint32_t R_AARCH64_JUMP26 = 282;
inline constexpr std::uint32_t R_AARCH64_CALL26 = 283;
inline constexpr std::uint32_t R_AARCH64_LDST16_ABS_LO12_NC = 284;
inline constexpr std::uint32_t R_AARCH64_LDST32_ABS_LO12_NC = 285;
inline constexpr std::uint32_t R_AARCH64_LDST64_ABS_LO12_NC = 286;
inline constexpr std::uint32_t R_AARCH64_LDST128_ABS_LO12_NC = 299;
inline constexpr std::uint32_t R_AARCH64_TLSDESC_CALL = 569;

// Relocations of x86-64.
inline constexpr std::uint32_t R_X86_64_64 = 1;
inline constexpr std::uint32_t R_X86_64_PC32 = 2;
inline constexpr std::uint32_t R_X86_64_PLT32 = 4;

}  // namespace slipway
