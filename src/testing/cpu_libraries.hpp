// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The directory of the CPU function libraries of the tests (tests/cpu_libraries): beside the tests in a bundle, else in
// the build directory.
#pragma once

#include <filesystem>

#include "testing/source_directory.hpp"

namespace slipway::testing {

inline std::filesystem::path cpu_libraries() {
  const std::filesystem::path bundled = source_directory() / "cpu_libraries";
  return std::filesystem::exists(bundled) ? bundled : std::filesystem::path(SLIPWAY_CPU_LIBRARIES);
}

}  // namespace slipway::testing
