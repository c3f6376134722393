// A picture of a model, as a page or for Graphviz.
#pragma once

#include <string>

#include "base/diagnostic.hpp"
#include "lower/lower.hpp"
#include "vgf/vgf.hpp"

namespace slipway::cli {

// Of the kind that the path's suffix asks for: `.html` or `.dot`. Errors: usage for another suffix, file-unwritable.
void draw_model(const vgf::File& file, const std::string& path, const lower::LowerOptions& lowering,
                Diagnostics& diagnostics);

}  // namespace slipway::cli
