// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "scenario/paths.hpp"

#include <algorithm>
#include <ranges>

namespace slipway::scenario {

Path source_path(const Scenario& scenario, std::string_view src) { return scenario.directory / Path(src); }

Path output_path(const Scenario& scenario, std::string_view dst, const Path& output_directory) {
  return (output_directory.empty() ? scenario.directory : output_directory) / Path(dst);
}

std::string extension_of(std::string_view path) {
  std::string extension = Path(path).extension().string();
  std::ranges::transform(extension, extension.begin(),
                         [](char c) { return c >= 'A' && c <= 'Z' ? char(c - 'A' + 'a') : c; });
  return extension;
}

}  // namespace slipway::scenario
