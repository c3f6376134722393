// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cli/sarif_file.hpp"

#include <vector>

#include "base/files.hpp"
#include "base/print_diagnostic.hpp"
#include "cli/terminal.hpp"
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

int write_sarif_file(int status) {
  const SarifFile file = std::exchange(sarif_file(), {});
  if (file.path.empty()) return status;
  const Result<> written = write_file(file.path, json::sarif_text(file.noted, kVersion));
  if (written) return status;
  print_error(format_diagnostics(written.error(), {.colour = use_colour(stderr)}));
  return worst_status(status, exit_status(written.error()));
}

}  // namespace slipway::cli
