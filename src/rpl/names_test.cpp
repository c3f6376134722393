// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "rpl/names.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <set>
#include <string>

#include "spirv/module.hpp"

namespace slipway::rpl {
namespace {

// Names of every length, which differ in one byte: the first, one in the middle, the last.
std::vector<std::string> similar_names() {
  std::vector<std::string> names;
  for (std::size_t size = 1; size <= 70; ++size) {
    const std::string plain(size, 'a');
    names.push_back(plain);
    for (const std::size_t at : std::set{std::size_t{0}, size / 3, size / 2, size - 1}) {
      for (const char other : {'b', 'z', '_', '0'}) {
        names.push_back(plain);
        names.back()[at] = other;
      }
    }
  }
  return names;
}

TEST(RplNames, EqualTextsAreOneNameAndOthersAreNot) {
  NameTable table;
  const std::vector<std::string> names = similar_names();
  std::vector<NameId> ids;
  for (const std::string& name : names) ids.push_back(table.intern(name));
  EXPECT_EQ(std::set(ids.begin(), ids.end()).size(), std::set(names.begin(), names.end()).size());
  for (std::size_t i = 0; i < names.size(); ++i) {
    EXPECT_EQ(table.text(ids[i]), names[i]);
    EXPECT_EQ(table.intern(std::string(names[i])), ids[i]);
    EXPECT_EQ(table.find(names[i]), ids[i]);
  }
  EXPECT_EQ(table.find("not in it"), kNoName);
  EXPECT_EQ(table.intern(""), kNoName);
}

TEST(RplNames, FixedNamesHaveTheirNumbersInEveryTable) {
  NameTable table;
  const auto fixed = fixed_names();
  for (NameId name = 1; name < fixed.size(); ++name) {
    EXPECT_EQ(table.intern(fixed[name]), name) << fixed[name];
    EXPECT_EQ(find_fixed_name(fixed[name]), name);
  }
  EXPECT_EQ(find_fixed_name("not_a_word"), kNoName);
}

TEST(RplNames, WordsAreStringsOfSpirv) {
  NameTable table;
  std::vector<NameId> names = {kNoName, Word::f1, Word::conditional, Word::setting_polygon_mode};
  for (const std::string& text : similar_names()) names.push_back(table.intern(text));
  for (const NameId name : names) {
    const auto words = table.words(name);
    const std::string_view text = table.text(name);
    ASSERT_EQ(words.size(), spirv::string_words(text));
    std::string bytes(words.size_bytes(), '\1');
    std::memcpy(bytes.data(), words.data(), words.size_bytes());
    std::string expected(text);
    expected.resize(words.size_bytes(), '\0');
    EXPECT_EQ(bytes, expected) << text;
  }
}

}  // namespace
}  // namespace slipway::rpl
