// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The elements of a list by their names; of equal names the first one.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>
#include <unordered_map>

namespace slipway::recipe {

// Valid as long as the names of the list.
class NameIndex {
 public:
  explicit NameIndex(const auto& list) {
    for (std::size_t i = 0; i < list.size(); ++i) indices_.try_emplace(list[i].name, i);
  }
  std::optional<std::size_t> find(std::string_view name) const {
    const auto found = indices_.find(name);
    return found == indices_.end() ? std::nullopt : std::optional(found->second);
  }

 private:
  std::unordered_map<std::string_view, std::size_t> indices_;
};

}  // namespace slipway::recipe
