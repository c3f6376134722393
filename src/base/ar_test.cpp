// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/ar.hpp"

#include <gmock/gmock.h>

namespace slipway {
namespace {

std::string archive_of(const std::vector<std::pair<std::string, std::string>>& members) {
  std::string text(kArMagic);
  for (const auto& [name, contents] : members) {
    const ArHeader header = ar_member(name, contents.size());
    text += header.before + contents + std::string(header.padding);
  }
  return text;
}

TEST(Ar, WhatIsWrittenIsRead) {
  const std::vector<std::pair<std::string, std::string>> members = {{"a", ""},
                                                                    {"fifteen_letters", "odd"},
                                                                    {"sixteen_letters_", "even"},
                                                                    {"a name with spaces", "odd"},
                                                                    {"dir/name", "x"},
                                                                    {"0000.in.tensor_0_0.npy", std::string(1000, 'z')}};
  const std::string text = archive_of(members);
  EXPECT_TRUE(is_ar(bytes_of(std::string_view(text))));
  const ArArchive archive = read_ar(bytes_of(std::string_view(text)));
  EXPECT_FALSE(archive.fault);
  ASSERT_EQ(archive.members.size(), members.size());
  for (std::size_t i = 0; i < members.size(); ++i) {
    EXPECT_EQ(archive.members[i].name, members[i].first);
    EXPECT_EQ(text_of(archive.members[i].bytes), members[i].second);
    EXPECT_EQ(text.substr(archive.members[i].offset, members[i].second.size()), members[i].second);
  }
}

TEST(Ar, FaultsAreWhereTheyAre) {
  const std::string text = archive_of({{"sixteen_letters_", "even"}});
  const auto fault_of = [](std::string of) {
    const ArArchive archive = read_ar(bytes_of(std::string_view(of)));
    EXPECT_TRUE(archive.members.empty());
    return archive.fault ? archive.fault->message : "";
  };
  EXPECT_EQ(fault_of(text.substr(0, 30)), "the header of member 0 is truncated");
  EXPECT_EQ(fault_of(text.substr(0, text.size() - 1)), "member `#1/16` should have 20 bytes, but 19 are left");
  std::string long_name = text;
  long_name.replace(8, 5, "#1/99");
  EXPECT_EQ(fault_of(long_name), "the name of member 0 is truncated");
  std::string no_header = text;
  no_header[8 + 58] = ' ';
  EXPECT_EQ(fault_of(no_header), "member 0 has no valid header");
}

}  // namespace
}  // namespace slipway
