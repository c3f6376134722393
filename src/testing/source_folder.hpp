// Where the project's files are, for tests that read corpora: the checkout, or what SLIPWAY_SOURCE_DIR says (a bundle).
#pragma once

#include <cstdlib>
#include <filesystem>

namespace slipway::testing {

inline std::filesystem::path source_folder() {
  const char* elsewhere = std::getenv("SLIPWAY_SOURCE_DIR");
  return elsewhere ? elsewhere : SLIPWAY_SOURCE_DIR;
}

}  // namespace slipway::testing
