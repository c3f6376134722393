// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cli/model/draw_model.hpp"

#include "base/format.hpp"
#include "base/system/files.hpp"
#include "model/describe.hpp"

namespace slipway::cli {

void draw_model(const vgf::File& file, const std::string& path, const lower::LowerOptions& lowering,
                Diagnostics& diagnostics) {
  if (!path.ends_with(".dot") && !path.ends_with(".html")) {
    diagnostics.error(DiagnosticKind::Usage, {},
                      formatted("--graph takes a file that ends in .html or .dot, not `{}`", path));
    return;
  }
  const std::vector<model::LoweredSegment> lowered = model::lower_segments(file, lowering, diagnostics);
  write_diagram(model::build_diagram(file, model::diagram_segments(lowered)), path, diagnostics);
}

void write_diagram(const model::Diagram& diagram, const std::string& path, Diagnostics& diagnostics) {
  const auto text =
      path.ends_with(".dot") ? std::optional(model::write_dot(diagram)) : diagnostics.take(model::write_html(diagram));
  if (!text) return;
  if (const Result<> written = write_file(path, *text); !written) diagnostics.add(written.error());
}

}  // namespace slipway::cli
