// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The text of scenarios from the texts of their parts.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/format.hpp"

namespace slipway::testing {

inline std::string joined(const std::vector<std::string>& parts, std::string_view by = ",\n") {
  std::string text;
  for (const std::string& part : parts) text += (text.empty() ? "" : std::string(by)) + part;
  return text;
}

inline std::string scene(const std::vector<std::string>& resources, const std::vector<std::string>& commands) {
  return formatted("{{\"resources\": [\n{}\n], \"commands\": [\n{}\n]}}", joined(resources), joined(commands));
}

}  // namespace slipway::testing
