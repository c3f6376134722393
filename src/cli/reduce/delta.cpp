// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cli/reduce/delta.hpp"

#include <algorithm>
#include <numeric>

namespace slipway::cli {

std::vector<std::size_t> minimise(std::size_t count,
                                  const std::function<bool(const std::vector<std::size_t>&)>& holds) {
  std::vector<std::size_t> kept(count);
  std::iota(kept.begin(), kept.end(), std::size_t{0});
  for (std::size_t chunk = count; chunk > 0;) {
    bool changed = false;
    // From the end: what comes later depends on what comes before.
    for (std::size_t end = kept.size(); end > 0;) {
      const std::size_t begin = end > chunk ? end - chunk : 0;
      std::vector<std::size_t> fewer = kept;
      fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(begin), fewer.begin() + static_cast<std::ptrdiff_t>(end));
      if (holds(fewer)) {
        kept = std::move(fewer);
        changed = true;
      }
      end = begin;
    }
    if (chunk == 1 && !changed) break;
    if (chunk > 1) chunk = std::min((chunk + 1) / 2, std::max<std::size_t>(kept.size(), 1));
    if (kept.empty()) break;
  }
  return kept;
}

}  // namespace slipway::cli
