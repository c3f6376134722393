// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The directory of the project's files, for tests that read corpora: CTest starts tests in the checkout;
// SLIPWAY_SOURCE_DIR overrides it (for a bundle).
#pragma once

#include <cstdlib>
#include <filesystem>

namespace slipway::testing {

inline std::filesystem::path source_directory() {
  const char* elsewhere = std::getenv("SLIPWAY_SOURCE_DIR");
  return elsewhere ? std::filesystem::path(elsewhere) : std::filesystem::current_path();
}

}  // namespace slipway::testing
