// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tosa/read/producers_first.hpp"

#include <algorithm>
#include <functional>
#include <queue>

namespace slipway::tosa {

std::expected<std::vector<std::uint32_t>, std::uint32_t> producers_first(
    std::span<const std::vector<std::uint32_t>> users) {
  std::vector<std::uint32_t> missing(users.size());
  for (const std::vector<std::uint32_t>& of_one : users) {
    for (const std::uint32_t user : of_one) ++missing[user];
  }
  std::priority_queue<std::uint32_t, std::vector<std::uint32_t>, std::greater<>> ready;
  for (std::uint32_t i = 0; i < users.size(); ++i) {
    if (missing[i] == 0) ready.push(i);
  }
  std::vector<std::uint32_t> order;
  while (!ready.empty()) {
    const std::uint32_t next = ready.top();
    ready.pop();
    order.push_back(next);
    for (const std::uint32_t user : users[next]) {
      if (--missing[user] == 0) ready.push(user);
    }
  }
  if (order.size() == users.size()) return order;
  const auto first = std::ranges::find_if(missing, [](std::uint32_t count) { return count != 0; });
  return std::unexpected(static_cast<std::uint32_t>(first - missing.begin()));
}

}  // namespace slipway::tosa
