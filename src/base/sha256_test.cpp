// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/sha256.hpp"

#include <gtest/gtest.h>

namespace slipway {
namespace {

// The examples that NIST publishes for FIPS 180-4.
TEST(Sha256, KnownDigests) {
  EXPECT_EQ(sha256_text(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(sha256_text("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(sha256_text("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  EXPECT_EQ(sha256_text(std::string(1000000, 'a')), "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

// Lengths around the two at which the padding changes: equal texts have equal digests, other texts other digests.
TEST(Sha256, LengthsAroundABlock) {
  std::string previous;
  for (std::size_t size = 50; size < 70; ++size) {
    const std::string digest = sha256_text(std::string(size, 'x'));
    EXPECT_NE(digest, previous);
    EXPECT_EQ(digest, sha256_text(std::string(size, 'x')));
    previous = digest;
  }
  EXPECT_EQ(sha256_text(std::string(64, 'a')), "ffe054fe7ae0cb6dc65c3af9b61d5209f439851db43d0ba5997337df154668eb");
}

// The SHA instructions of the CPU and plain arithmetic agree.
TEST(Sha256, AgreesWithPlainArithmetic) {
  std::string text;
  for (std::size_t size = 0; size < 300; ++size) {
    EXPECT_EQ(sha256(bytes_of(text)), sha256_plainly(bytes_of(text))) << size;
    text += static_cast<char>(size * 37 + 11);
  }
}

}  // namespace
}  // namespace slipway
