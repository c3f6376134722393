// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdlib>
#include <string>
#include <string_view>

namespace slipway::vk {

// The device that a caller names, otherwise that of the environment variable SLIPWAY_DEVICE; empty: none is chosen.
inline std::string selected_device(std::string_view named) {
  const char* variable = std::getenv("SLIPWAY_DEVICE");
  return std::string(named.empty() && variable ? variable : named);
}

}  // namespace slipway::vk
