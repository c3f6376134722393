// The layout of program text: braces on lines of their own, four spaces a level, one space where tokens part. Line
// breaks inside statements and single blank lines stay as the author has them, comments stay where they are.
//
// Formatting changes blanks alone, so the program means the same; formatted text stays as it is.
#pragma once

#include <string>

#include "base/diagnostic.hpp"
#include "base/source.hpp"

namespace slipway::rpl {

// Errors: those of the lexer and the parser. Text that does not parse is not formatted.
Result<std::string> format_source(const SourcePtr& source);

}  // namespace slipway::rpl
