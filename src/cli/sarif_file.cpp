// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cli/sarif_file.hpp"

#include <utility>
#include <vector>

#include "base/system/files.hpp"
#include "generated_version.hpp"
#include "json/sarif.hpp"

namespace slipway::cli {
namespace {

struct SarifFile {
  std::string path;
  std::vector<Diagnostic> noted;
};
SarifFile& sarif_file() {
  static SarifFile one;
  return one;
}

}  // namespace

void set_sarif_path(std::string path) { sarif_file().path = std::move(path); }

void note_for_sarif(std::span<const Diagnostic> diagnostics) {
  if (!sarif_file().path.empty()) sarif_file().noted.append_range(diagnostics);
}

Result<> write_sarif_file() {
  const SarifFile file = std::exchange(sarif_file(), {});
  if (file.path.empty()) return {};
  return write_file(file.path, json::sarif_text(file.noted, kVersion));
}

}  // namespace slipway::cli
