// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The lines in which two texts differ, so that an editor keeps the rest of a document, with its marks and folds.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/text/source.hpp"

namespace slipway::rpl::lsp {

struct LineEdit {
  Span replaced;  // whole lines of the text before
  std::string text;
};
// In order. Texts with many thousands of lines become one edit between their common beginning and end.
std::vector<LineEdit> line_edits(std::string_view before, std::string_view after);

}  // namespace slipway::rpl::lsp
