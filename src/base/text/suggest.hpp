// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// "Did you mean": the known word nearest to a mistyped one.
#pragma once

#include <algorithm>
#include <optional>
#include <ranges>
#include <string>
#include <string_view>

namespace slipway {

// Damerau-Levenshtein distance (optimal string alignment): insertions, deletions, changes and swaps of neighbours.
std::size_t edit_distance(std::string_view a, std::string_view b);

// Longer words are not compared: that would take long, and they are hardly misspelled words.
inline constexpr std::size_t kMaxSuggestedLength = 256;

// Whether a search through the candidates is worth its time after that many others: a file may have as many unknown
// words as known ones.
constexpr bool may_search(std::size_t earlier, std::size_t candidates) {
  constexpr std::size_t kMaxComparisons = 1'000'000;
  return candidates == 0 || earlier < kMaxComparisons / candidates;
}

// Whether the words differ in upper and lower case only.
bool same_letters(std::string_view a, std::string_view b);
// Whether the candidate is the word and more, joined by `_`: `dispatch` and `dispatch_compute`.
bool is_part_of(std::string_view word, std::string_view candidate);

// A candidate that differs in case only; else the first of the nearest ones, if its distance is at most
// max(1, length / 3) (docs/spec/scenario.md#messages).
template <std::ranges::input_range Candidates>
std::optional<std::string> closest(std::string_view word, const Candidates& candidates) {
  std::optional<std::string> best;
  if (word.size() > kMaxSuggestedLength) return best;
  std::size_t best_distance = std::max<std::size_t>(1, word.size() / 3) + 1;
  for (std::string_view candidate : candidates) {
    if (candidate != word && same_letters(word, candidate)) return std::string(candidate);
    const std::size_t longer = std::max(word.size(), candidate.size()) - std::min(word.size(), candidate.size());
    if (longer >= best_distance) continue;  // the distance is at least that
    const std::size_t distance = edit_distance(word, candidate);
    if (distance < best_distance && candidate != word) {
      best_distance = distance;
      best = candidate;
    }
  }
  return best;
}

// The same, else the first candidate that the word is a part of.
template <std::ranges::input_range Candidates>
std::optional<std::string> closest_or_longer(std::string_view word, const Candidates& candidates) {
  if (auto near = closest(word, candidates)) return near;
  for (std::string_view candidate : candidates) {
    if (is_part_of(word, candidate)) return std::string(candidate);
  }
  return std::nullopt;
}

}  // namespace slipway
