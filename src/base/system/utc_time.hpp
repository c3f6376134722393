// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <ctime>
#include <string>

#include "platform/text.hpp"

namespace slipway {

// "2026-11-22T21:05:00Z"
inline std::string utc_now() {
  const std::tm utc = platform::utc_time(std::time(nullptr));
  char text[32];
  std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &utc);
  return text;
}

}  // namespace slipway
