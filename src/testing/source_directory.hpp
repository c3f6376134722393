// Where the project's files are, for tests that read corpora: CTest starts them in the checkout; SLIPWAY_SOURCE_DIR
// says otherwise (a bundle).
#pragma once

#include <cstdlib>
#include <filesystem>

namespace slipway::testing {

inline std::filesystem::path source_directory() {
  const char* elsewhere = std::getenv("SLIPWAY_SOURCE_DIR");
  return elsewhere ? std::filesystem::path(elsewhere) : std::filesystem::current_path();
}

}  // namespace slipway::testing
