// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Versions of items by the values of the options that can affect them: how caches find what an earlier variant of the
// program resolved. An item keeps several versions, because options change back and forth.
//
// A version is a record with the members `options` and `older`; each cache has a table of its own.
#pragma once

#include <algorithm>
#include <utility>
#include <vector>

#include "rpl/resolve/context.hpp"
#include "rpl/resolve/reach.hpp"
#include "rpl/vectors.hpp"

namespace slipway::rpl {

class ItemVersions {
 public:
  explicit ItemVersions(const Context& context) : context_(context) {}

  // Starts a variant. `needs_reach`: versions may be found in this variant.
  void begin(bool needs_reach) {
    of_variant_ = kNone;
    if (needs_reach && reach_.empty()) reach_.find(*context_.program);
  }
  void forget() {
    option_values_.clear();
    assign_none(newest_, context_.program->items.size());
    reach_.clear();
  }
  std::size_t size() const { return option_values_.size(); }

  // The version with the current values of the options; kNone without one. An item that no option reaches has one.
  template <class T>
  std::uint32_t find(const std::vector<T>& all, ItemId item) const {
    for (std::uint32_t i = newest_[item]; i != kNone; i = all[i].older) {
      const Value* const options = option_values_.data() + all[i].options;
      const auto same = [&](OptionId option) { return options[option] == context_.out.options[option]; };
      if (std::ranges::all_of(reach_.of(item), same)) return i;
    }
    return kNone;
  }
  // Makes an entry of the table a version of the item.
  template <class T>
  void add(std::vector<T>& all, std::uint32_t made, ItemId item) {
    constexpr std::size_t kMaxVersions = 4;  // of one item
    if (of_variant_ == kNone) {
      of_variant_ = static_cast<std::uint32_t>(option_values_.size());
      option_values_.insert(option_values_.end(), context_.out.options.begin(), context_.out.options.end());
    }
    all[made].options = of_variant_;
    all[made].older = std::exchange(newest_[item], made);
    std::uint32_t oldest = made;
    for (std::size_t i = 1; i < kMaxVersions && oldest != kNone; ++i) oldest = all[oldest].older;
    if (oldest != kNone) all[oldest].older = kNone;
  }

 private:
  const Context& context_;
  OptionReach reach_;
  std::vector<std::uint32_t> newest_;  // by item: in the cache's table, or kNone
  std::vector<Value> option_values_;   // of the variants that have versions, one variant after the other
  std::uint32_t of_variant_ = kNone;   // in option_values_: the values of this variant
};

}  // namespace slipway::rpl
