// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/text/base64.hpp"

#include <gtest/gtest.h>

namespace slipway {
namespace {

TEST(Base64, TheVectorsOfTheStandard) {  // RFC 4648, section 10
  const std::pair<std::string_view, std::string_view> cases[] = {{"", ""},
                                                                 {"f", "Zg=="},
                                                                 {"fo", "Zm8="},
                                                                 {"foo", "Zm9v"},
                                                                 {"foob", "Zm9vYg=="},
                                                                 {"fooba", "Zm9vYmE="},
                                                                 {"foobar", "Zm9vYmFy"}};
  for (const auto& [plain, coded] : cases) {
    EXPECT_EQ(to_base64(bytes_of(plain)), coded);
    const auto back = from_base64(coded);
    ASSERT_TRUE(back) << coded;
    EXPECT_EQ(text_of(*back), plain);
  }
}

TEST(Base64, RejectsOtherText) {
  for (const std::string_view text : {"Z", "Zg=", "Zg", "Z===", "Zm9v Zm9v", "Zm9v\nZm9", "Zg==Zg==", "Zm-_"}) {
    EXPECT_FALSE(from_base64(text)) << text;
  }
}

TEST(Base64, AllBytes) {
  std::vector<std::byte> all;
  for (int i = 0; i < 256; ++i) all.push_back(static_cast<std::byte>(i));
  EXPECT_EQ(from_base64(to_base64(all)), all);
}

}  // namespace
}  // namespace slipway
