// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Structs and buffers of earlier variants, without their indices and bindings.
#pragma once

#include <vector>

#include "rpl/resolve/item_versions.hpp"
#include "rpl/resolve/read_log.hpp"

namespace slipway::rpl {

class LayoutCache {
 public:
  LayoutCache(const Context& context, ReadLog& log, ItemVersions& versions)
      : context_(context), log_(log), versions_(versions) {}

  // Starts a variant. Inactive where constants have errors: their values may differ from what the options imply.
  void begin() { active_ = !context_.options->check_unused && !context_.diagnostics->has_errors(); }
  bool is_active() const { return active_; }
  void forget() { layouts_.clear(); }
  std::size_t size() const { return layouts_.size(); }

  // Null without one.
  const CachedLayout* find(ItemId item) const {
    if (!active_) return nullptr;
    const std::uint32_t found = versions_.find(layouts_, item);
    return found == kNone ? nullptr : &layouts_[found];
  }
  // Ends the window and stores what was resolved in it if nothing was reported. Items with aliases are not stored:
  // aliases refer to indices of this variant.
  void store(const LookupWindow& window, bool has_aliases, CachedLayout made) {
    made.lookups = log_.close_window(window);
    if (!active_ || !log_.is_clean(window) || has_aliases) return;
    const ItemId item = made.structure.item;
    layouts_.push_back(std::move(made));
    versions_.add(layouts_, static_cast<std::uint32_t>(layouts_.size()) - 1, item);
  }

 private:
  const Context& context_;
  ReadLog& log_;
  ItemVersions& versions_;
  std::vector<CachedLayout> layouts_;
  bool active_ = false;  // in this variant
};

}  // namespace slipway::rpl
