// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Draws a model as an HTML page or as a file for Graphviz.
#pragma once

#include <string>

#include "base/diagnostic.hpp"
#include "lower/lower.hpp"
#include "vgf/vgf.hpp"

namespace slipway::model {
struct Diagram;
}

namespace slipway::cli {

// The suffix of `path` selects the kind, `.html` or `.dot`. Errors: usage for another suffix, file-unwritable.
void draw_model(const vgf::File& file, const std::string& path, const lower::LowerOptions& lowering,
                Diagnostics& diagnostics);

// A suffix other than `.dot` is that of a page.
void write_diagram(const model::Diagram& diagram, const std::string& path, Diagnostics& diagnostics);

}  // namespace slipway::cli
