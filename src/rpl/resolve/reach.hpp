// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The options that can affect an item: those that its text names, those that the declarations of what it names name,
// and so on. Variants with the same values of these options have the same struct, buffer or function.
//
// Only names count, not what they refer to, so there may be more options than are ever read; that costs only time. Of a
// called function only the signature counts, not the body.
#pragma once

#include <span>
#include <vector>

#include "rpl/program.hpp"

namespace slipway::rpl {

class OptionReach {
 public:
  void clear() { lists_.clear(); }
  bool empty() const { return lists_.empty(); }
  // Takes about as long as resolving the program.
  void find(const Program& program);
  std::span<const OptionId> of(ItemId item) const {
    return std::span(options_).subspan(lists_[item].first, lists_[item].count);
  }

 private:
  std::vector<List> lists_;  // by item
  std::vector<OptionId> options_;
};

}  // namespace slipway::rpl
