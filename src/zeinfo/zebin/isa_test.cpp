// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The counts of a listing. The library itself: tests/corpus/cli/isa.md.
#include "zeinfo/zebin/isa.hpp"

#include <gtest/gtest.h>

namespace slipway::zebin {
namespace {

TEST(Isa, CountsInstructions) {
  const IsaListing listing = listing_of(
      "L0:\n"
      "(W)     mov (8|M0)               r127.0<1>:ud  0x0:ud                             \n"
      "        add (16|M0)              r1.0<1>:d     r2.0<1;1,0>:d     1:w              {I@1} // note\n"
      "(W&f0.0) send.ugm (1|M0)          r3       r126    null:0  0xFF000000            0x6218D500\n"
      "(~f0.0) sendc.rc (16|M0)         null     r2\n"
      "L80:\n"
      "        nop                    \n"
      "        // a line of its own\n"
      "\n"
      "(W)     sync.nop                             null\n");
  EXPECT_EQ(listing.instructions, 5u);
  EXPECT_EQ(listing.sends, 2u);
  EXPECT_TRUE(listing.text.contains("\n(W)     mov (8|M0)               r127.0<1>:ud  0x0:ud\n"));  // without blanks
}

TEST(Isa, AnyTextIsHarmless) {
  EXPECT_EQ(listing_of("").instructions, 0u);
  EXPECT_EQ(listing_of("(").instructions, 0u);
  EXPECT_EQ(listing_of("((W) (").instructions, 0u);
  EXPECT_EQ(listing_of("(W)mov r1").instructions, 1u);
  EXPECT_EQ(listing_of("mov\xff\n").text, "mov?\n");
}

}  // namespace
}  // namespace slipway::zebin
