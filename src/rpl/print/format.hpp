// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The layout of program text: braces on lines of their own, four spaces a level, one space between tokens. Line
// breaks inside statements and single blank lines stay as they are, and so do comments.
//
// Formatting changes only whitespace, so the program keeps its meaning; formatted text does not change again.
#pragma once

#include <string>

#include "base/diagnostic.hpp"
#include "base/text/source.hpp"

namespace slipway::rpl {

// Errors: those of the lexer and the parser. Text that does not parse is not formatted.
Result<std::string> format_source(const SourcePtr& source);

}  // namespace slipway::rpl
