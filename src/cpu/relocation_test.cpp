// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Relocations of AArch64, on any machine. The expected instructions are those of the assembler for the same distances.
#include "cpu/relocation.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "base/bytes.hpp"
#include "base/elf.hpp"

namespace slipway::cpu {
namespace {

struct Case {
  std::uint32_t type;
  std::uint32_t before;
  std::uint64_t place, target;
  std::uint32_t after;
};

TEST(Relocation, OfAArch64) {
  constexpr Case kCases[] = {
      {R_AARCH64_CALL26, 0x94000000, 0x40, 0x100, 0x94000030},             // bl .+0xc0
      {R_AARCH64_JUMP26, 0x14000000, 0x100, 0x40, 0x17ffffd0},             // b .-0xc0
      {R_AARCH64_ADR_PREL_PG_HI21, 0x90000000, 0x10, 0x3010, 0xf0000000},  // adrp x0, .+0x3000
      {R_AARCH64_ADR_PREL_PG_HI21, 0x90000001, 0x2ffc, 0x10, 0xd0ffffe1},  // adrp x1, .-0x2000
      {R_AARCH64_ADR_PREL_LO21, 0x10000002, 0x10, 0x1d, 0x30000062},       // adr x2, .+13
      {R_AARCH64_ADD_ABS_LO12_NC, 0x91000000, 0, 0x1234, 0x9108d000},      // add x0, x0, #0x234
      {R_AARCH64_LDST8_ABS_LO12_NC, 0x39400000, 0, 0x1235, 0x3948d400},    // ldrb w0, [x0, #0x235]
      {R_AARCH64_LDST16_ABS_LO12_NC, 0x79400000, 0, 0x1234, 0x79446800},   // ldrh w0, [x0, #0x234]
      {R_AARCH64_LDST32_ABS_LO12_NC, 0xbd400000, 0, 0x1234, 0xbd423400},   // ldr s0, [x0, #0x234]
      {R_AARCH64_LDST64_ABS_LO12_NC, 0xfd400000, 0, 0x1238, 0xfd411c00},   // ldr d0, [x0, #0x238]
      {R_AARCH64_LDST128_ABS_LO12_NC, 0x3dc00000, 0, 0x1230, 0x3dc08c00},  // ldr q0, [x0, #0x230]
      {R_AARCH64_LD_PREL_LO19, 0x9c000000, 0x10, 0x30, 0x9c000100},        // ldr q0, .+0x20
      {R_AARCH64_PREL32, 0, 0x10, 0x8, 0xfffffff8},
  };
  for (const Case& each : kCases) {
    std::vector<std::byte> memory(0x4000);
    store(memory.data() + each.place, each.before);
    EXPECT_TRUE(apply_aarch64_relocation(each.type, memory.data(), each.place, each.target)) << each.type;
    EXPECT_EQ(load<std::uint32_t>(memory.data() + each.place), each.after) << each.type;
  }
}

TEST(Relocation, OfAArch64ThatCannotBe) {
  std::vector<std::byte> memory(64);
  EXPECT_FALSE(apply_aarch64_relocation(R_AARCH64_CALL26, memory.data(), 0, std::uint64_t{1} << 27));
  EXPECT_FALSE(apply_aarch64_relocation(R_AARCH64_CALL26, memory.data(), 0, 6));
  EXPECT_FALSE(apply_aarch64_relocation(R_AARCH64_ADR_PREL_LO21, memory.data(), 0, std::uint64_t{1} << 20));
  EXPECT_FALSE(apply_aarch64_relocation(R_AARCH64_LDST128_ABS_LO12_NC, memory.data(), 0, 8));
  EXPECT_FALSE(apply_aarch64_relocation(R_AARCH64_TLSDESC_CALL, memory.data(), 0, 0));
}

}  // namespace
}  // namespace slipway::cpu
