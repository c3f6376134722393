// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The files of tests/data (tests/data/README.md), for tests of several modules.
#pragma once

#include <algorithm>
#include <filesystem>
#include <initializer_list>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "testing/source_directory.hpp"

namespace slipway::testing {

// The files below tests/data/DIRECTORY that have one of the extensions, sorted. Tests assert that there are some.
inline std::vector<std::filesystem::path> data_files(std::string_view directory,
                                                     std::initializer_list<std::string_view> extensions) {
  std::vector<std::filesystem::path> found;
  std::error_code missing;
  const std::filesystem::path top = source_directory() / "tests/data" / directory;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(top, missing))
    if (std::ranges::contains(extensions, entry.path().extension().string())) found.push_back(entry.path());
  std::ranges::sort(found);
  return found;
}

}  // namespace slipway::testing
