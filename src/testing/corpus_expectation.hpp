// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The expected output of a corpus case: NAME.expected beside NAME.json, rewritten with UPDATE_CORPUS.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <iostream>
#include <set>
#include <string>
#include <string_view>

#include "base/diagnostic.hpp"
#include "base/system/files.hpp"

namespace slipway::testing {

// The kinds of diagnostics of a text: what is in brackets at the ends of its lines.
inline std::multiset<std::string> kinds_in(std::string_view text) {
  std::multiset<std::string> kinds;
  for (std::size_t end = 0; (end = text.find("]\n", end)) != text.npos; ++end) {
    const std::size_t begin = text.rfind('[', end);
    if (begin != text.npos) kinds.emplace(text.substr(begin + 1, end - begin - 1));
  }
  return kinds;
}

// The same, without repetition.
inline std::set<std::string> distinct_kinds_in(std::string_view text) {
  const std::multiset<std::string> kinds = kinds_in(text);
  return {kinds.begin(), kinds.end()};
}

inline void update_expectation(const Path& path, const std::string& expected, const std::string& actual,
                               bool kinds_too) {
  if (expected == actual) return;
  if (file_exists(path) && distinct_kinds_in(expected) != distinct_kinds_in(actual)) {
    std::cout << path.filename().string() << ": the kinds of diagnostics change\n";
    if (!kinds_too) {
      ADD_FAILURE() << path << ": other kinds of diagnostics; UPDATE_CORPUS=kinds takes them\n" << actual;
      return;
    }
  }
  ASSERT_TRUE(write_file(path, actual));
}

// `path` is the case, `actual` its diagnostics as text. Its name begins with `fail_` exactly when there is an error.
inline void expect_as_written(const Path& path, const Diagnostics& diagnostics, const std::string& actual) {
  EXPECT_EQ(path.filename().string().starts_with("fail_"), diagnostics.has_errors()) << actual;
  const char* const wish = std::getenv("UPDATE_CORPUS");
  const Path expected_path = Path(path).replace_extension(".expected");
  const std::string expected = read_text(expected_path).value_or("(there is no such file)\n");
  if (wish)
    update_expectation(expected_path, expected, actual, std::string_view(wish) == "kinds");
  else
    EXPECT_EQ(actual, expected);
}

}  // namespace slipway::testing
