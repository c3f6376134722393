// Which options can decide what becomes of an item: those whose names stand in its text, in the declarations of what
// its text names, and so on. Other variants with the same values of these have the same struct, buffer or function.
//
// Only names are looked at, not what they mean where they stand, so there may be more options than are ever read; that
// costs time at most. A function called from the text counts as far as a caller sees it, its body does not.
#pragma once

#include <span>
#include <vector>

#include "rpl/program.hpp"

namespace slipway::rpl {

class OptionReach {
 public:
  void clear() { lists_.clear(); }
  bool empty() const { return lists_.empty(); }
  // Takes about as long as resolving the program does.
  void find(const Program& program);
  std::span<const OptionId> of(ItemId item) const {
    return std::span(options_).subspan(lists_[item].first, lists_[item].count);
  }

 private:
  std::vector<List> lists_;  // by item
  std::vector<OptionId> options_;
};

}  // namespace slipway::rpl
