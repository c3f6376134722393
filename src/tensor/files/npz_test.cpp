// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tensor/files/npz.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <array>

#include "base/print_diagnostic.hpp"

namespace slipway::tensor {
namespace {

using ::testing::HasSubstr;

std::string little(std::uint32_t value, int size) {
  std::string text;
  for (int i = 0; i < size; ++i) text += static_cast<char>(value >> (8 * i) & 0xff);
  return text;
}

// An archive of members without their check sums, which are not read. `method` 8: compressed.
std::string archive(const std::vector<std::pair<std::string, std::string>>& members, std::uint32_t method = 0,
                    const std::string& comment = "") {
  std::string data, directory;
  for (const auto& [name, contents] : members) {
    const std::string sizes = little(0, 4) + little(static_cast<std::uint32_t>(contents.size()), 4) +
                              little(static_cast<std::uint32_t>(contents.size()), 4) +
                              little(static_cast<std::uint32_t>(name.size()), 2);
    directory += "PK\x01\x02" + little(20, 2) + little(20, 2) + little(0, 2) + little(method, 2) + little(0, 4) +
                 sizes + little(0, 2) + little(0, 2) + little(0, 2) + little(0, 2) + little(0, 4) +
                 little(static_cast<std::uint32_t>(data.size()), 4) + name;
    // The extra field has another size than that of the directory.
    data += "PK\x03\x04" + little(20, 2) + little(0, 2) + little(method, 2) + little(0, 4) + sizes + little(3, 2) +
            name + "abc" + contents;
  }
  const auto count = static_cast<std::uint32_t>(members.size());
  return data + directory + "PK\x05\x06" + little(0, 2) + little(0, 2) + little(count, 2) + little(count, 2) +
         little(static_cast<std::uint32_t>(directory.size()), 4) + little(static_cast<std::uint32_t>(data.size()), 4) +
         little(static_cast<std::uint32_t>(comment.size()), 2) + comment;
}

Result<std::vector<NpzMember>> parse(const std::string& text) {
  return parse_npz(std::as_bytes(std::span(text)), "a.npz");
}

std::string message(const std::string& text) {
  const auto parsed = parse(text);
  return parsed ? "ok" : format_diagnostics(parsed.error(), {.sources = false});
}

TEST(Npz, MembersHaveNamesAndBytes) {
  const std::string text = archive({{"x.npy", "first"}, {"a/b", ""}, {"y.npy", "2"}}, 0, "a comment");
  EXPECT_TRUE(is_npz(std::as_bytes(std::span(text))));
  const auto members = parse(text);
  ASSERT_TRUE(members) << message(text);
  ASSERT_EQ(members->size(), 3u);
  EXPECT_EQ((*members)[0].name, "x");
  EXPECT_EQ(std::string(reinterpret_cast<const char*>((*members)[0].npy.data()), 5), "first");
  EXPECT_EQ((*members)[0].npy.size(), 5u);
  EXPECT_EQ((*members)[1].name, "a/b");
  EXPECT_TRUE((*members)[1].npy.empty());
  EXPECT_EQ((*members)[2].name, "y");
  const std::string empty = archive({});
  EXPECT_TRUE(is_npz(std::as_bytes(std::span(empty))));
  EXPECT_TRUE(parse(empty)->empty());
  const std::string array = "\x93NUMPY";
  EXPECT_FALSE(is_npz(std::as_bytes(std::span(array))));
}

TEST(Npz, OtherCompressionIsUnsupported) {
  EXPECT_THAT(message(archive({{"x.npy", "first"}}, 12)),
              HasSubstr("the array `x.npy` is compressed in another way; write the archive with `numpy.savez` or "
                        "`numpy.savez_compressed` [unsupported]"));
  EXPECT_THAT(message(archive({{"x.npy", "first"}}, 8)), HasSubstr("the array `x` is damaged [file-format]"));
}

std::vector<NpzMember> members_of(const std::vector<std::pair<std::string, std::string>>& texts) {
  std::vector<NpzMember> members;
  for (const auto& [name, text] : texts) members.push_back({name, std::as_bytes(std::span(text))});
  return members;
}

TEST(Npz, WrittenArchivesAreReadAgain) {
  const std::vector<std::pair<std::string, std::string>> texts = {
      {"zeros", std::string(100'000, 'z')}, {"few", "\x01\x02\x03"}, {"", ""}};
  const std::vector<std::byte> file = write_npz(members_of(texts)).value();
  EXPECT_LT(file.size(), 2000u);
  const auto members = parse_npz(file, "a.npz");
  ASSERT_TRUE(members) << format_diagnostics(members.error(), {.sources = false});
  ASSERT_EQ(members->size(), texts.size());
  for (std::size_t i = 0; i < texts.size(); ++i) {
    const NpzMember& member = (*members)[i];
    ASSERT_TRUE(read_elements(member, member.npy, "a.npz"));
    EXPECT_EQ(member.name, texts[i].first);
    EXPECT_EQ(std::string(reinterpret_cast<const char*>(member.npy.data()), member.npy.size()), texts[i].second);
    EXPECT_EQ(member.inflated != nullptr, i == 0);
  }
  EXPECT_EQ(write_npz({}).value().size(), 22u);
  EXPECT_FALSE(write_npz(members_of({{std::string(65'532, 'n'), ""}})));
}

// Every changed byte of a compressed archive is accepted with the same contents or has a message.
TEST(Npz, DamagedCompressedArchivesHaveMessages) {
  const std::string contents(300, 'a');
  const std::vector<std::byte> file = write_npz(members_of({{"x", contents}})).value();
  std::size_t refused = 0;
  for (std::size_t at = 0; at < file.size(); ++at) {
    for (const int bit : {0, 3, 7}) {
      std::vector<std::byte> damaged = file;
      damaged[at] ^= static_cast<std::byte>(1 << bit);
      const auto members = parse_npz(damaged, "a.npz");
      refused += !members;
      if (!members || members->empty() || !(*members)[0].inflated) continue;
      ASSERT_TRUE(read_elements((*members)[0], (*members)[0].npy, "a.npz"));
      const Bytes npy = (*members)[0].npy;
      EXPECT_EQ(std::string(reinterpret_cast<const char*>(npy.data()), npy.size()), contents) << at;
    }
  }
  EXPECT_GT(refused, 50u);
}

TEST(Npz, StoredMembersAreCheckedWhenTheyAreUsed) {
  std::vector<std::byte> file = write_npz(members_of({{"few", "\x01\x02\x03"}})).value();
  *std::ranges::search(file, std::array{std::byte{1}, std::byte{2}, std::byte{3}}).begin() ^= std::byte{0x40};
  const auto members = parse_npz(file, "a.npz");
  ASSERT_TRUE(members);
  const NpzMember& member = members->front();
  const auto read = read_elements(member, member.npy, "a.npz");
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().front().message, "the array `few` is damaged");
  EXPECT_TRUE(read_elements(member, member.npy.first(2), "a.npz"));  // bytes follow that are not read
}

// The header of a member is there at once, its elements when they are asked for.
TEST(Npz, LargeCompressedMembersAreReadWhenTheyAreUsed) {
  for (const std::uint32_t version : {1u, 2u}) {
    const std::size_t header = version == 1 ? 100 : 70'000;  // more than is made to find the header
    std::string npy = "\x93NUMPY" + little(version, 1) + little(0, 1) +
                      little(static_cast<std::uint32_t>(header), version == 1 ? 2 : 4) + std::string(header, ' ');
    const std::size_t begin = npy.size();
    for (int i = 0; i < 150'000; ++i) npy += std::to_string(i);  // damage of equal bytes might not change them
    const std::vector<std::byte> file = write_npz(members_of({{"x", npy}})).value();
    const auto members = parse_npz(file, "a.npz");
    ASSERT_TRUE(members) << format_diagnostics(members.error(), {.sources = false});
    const NpzMember& member = members->front();
    ASSERT_EQ(member.npy.size(), npy.size());
    ASSERT_TRUE(member.inflated);
    EXPECT_EQ(member.inflated->complete, version == 2);
    EXPECT_TRUE(std::ranges::equal(member.npy.first(begin), std::as_bytes(std::span(npy)).first(begin)));
    // Bytes after an array are not made.
    const std::size_t used = begin + 100'000, after = begin + 500'000;
    ASSERT_TRUE(read_elements(member, member.npy.subspan(begin, used - begin), "a.npz"));
    EXPECT_TRUE(std::ranges::equal(member.npy.first(used), std::as_bytes(std::span(npy)).first(used)));
    EXPECT_EQ(member.npy[after], version == 1 ? std::byte{0} : static_cast<std::byte>(npy[after]));
    ASSERT_TRUE(read_elements(member, member.npy, "a.npz"));
    EXPECT_TRUE(std::ranges::equal(member.npy, std::as_bytes(std::span(npy))));
    // Damage after the header is found then.
    std::vector<std::byte> damaged = file;
    damaged[file.size() / 2] ^= std::byte{0x10};
    const auto late = parse_npz(damaged, "a.npz");
    const auto read = late ? read_elements(late->front(), late->front().npy, "a.npz") : Result<>();
    EXPECT_FALSE(late && read);
  }
}

// Every truncation and every changed byte is accepted or has a message; nothing is read outside the file.
TEST(Npz, DamagedArchivesHaveMessages) {
  const std::string text = archive({{"x.npy", "first"}, {"y.npy", "2"}});
  for (std::size_t size = 0; size < text.size(); ++size)
    EXPECT_THAT(message(text.substr(0, size)), HasSubstr("[file-truncated]")) << size;
  for (std::size_t at = 0; at < text.size(); ++at) {
    for (const int value : {0, 1, 0x7f, 0xff}) {
      std::string damaged = text;
      damaged[at] = static_cast<char>(value);
      const auto members = parse(damaged);
      if (!members) continue;
      for (const NpzMember& member : *members) {
        const auto* first = reinterpret_cast<const char*>(member.npy.data());
        EXPECT_TRUE(first >= damaged.data() && first + member.npy.size() <= damaged.data() + damaged.size());
      }
    }
  }
  std::string moved = text;
  moved[moved.size() - 6] = 0;  // the position of the directory
  EXPECT_THAT(message(moved), HasSubstr("the directory of the archive has no entry 0 of 2 [file-format]"));
}

}  // namespace
}  // namespace slipway::tensor
