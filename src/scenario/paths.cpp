#include "scenario/paths.hpp"

#include <algorithm>
#include <ranges>

namespace slipway::scenario {

Path source_path(const Scenario& scenario, std::string_view src) { return scenario.folder / Path(src); }

Path output_path(const Scenario& scenario, std::string_view dst, const Path& output_folder) {
  return (output_folder.empty() ? scenario.folder : output_folder) / Path(dst);
}

std::string extension_of(std::string_view path) {
  std::string extension = Path(path).extension().string();
  std::ranges::transform(extension, extension.begin(),
                         [](char c) { return c >= 'A' && c <= 'Z' ? char(c - 'A' + 'a') : c; });
  return extension;
}

}  // namespace slipway::scenario
