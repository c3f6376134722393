// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/text/suggest.hpp"

#include <algorithm>
#include <cctype>
#include <vector>

namespace slipway {

std::size_t edit_distance(std::string_view a, std::string_view b) {
  // Three rows of the usual table: the one being filled and the two before it.
  std::vector<std::size_t> before_last(b.size() + 1), last(b.size() + 1), row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) last[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + (a[i - 1] != b[j - 1])});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        row[j] = std::min(row[j], before_last[j - 2] + 1);
      }
    }
    std::swap(before_last, last);
    std::swap(last, row);
  }
  return last[b.size()];
}

bool same_letters(std::string_view a, std::string_view b) {
  return std::ranges::equal(a, b, [](unsigned char x, unsigned char y) { return std::tolower(x) == std::tolower(y); });
}

bool is_part_of(std::string_view word, std::string_view candidate) {
  constexpr std::size_t kMinLength = 3;
  if (word.size() < kMinLength || candidate.size() <= word.size() + 1) return false;
  const std::size_t rest = candidate.size() - word.size();
  return (candidate[word.size()] == '_' && same_letters(word, candidate.substr(0, word.size()))) ||
         (candidate[rest - 1] == '_' && same_letters(word, candidate.substr(rest)));
}

}  // namespace slipway
