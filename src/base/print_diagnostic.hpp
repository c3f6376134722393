// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Prints diagnostics for people: the message, the source line with a caret, the JSON pointer and the notes.
//
//   blur.json:14:7: error: unknown key `dimz` in image `input`; did you mean `dims`? [unknown-key]
//      14 |       "dimz": [256, 256],
//         |       ^~~~~~
//     = at /resources/3/image/dims (uid input)
//
// The form for machines is in json/diagnostics.hpp.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "base/diagnostic.hpp"

namespace slipway {

struct DiagnosticStyle {
  bool colour = false;
  bool sources = true;           // print source lines and carets
  bool severity = true;          // print `error: ` and so on before the message
  std::size_t max_errors = 100;  // the rest is only counted
};

std::string format_diagnostic(const Diagnostic& diagnostic, const DiagnosticStyle& style = {});
// The first `max_errors`, then the number of those that were left out.
std::string format_diagnostics(std::span<const Diagnostic> diagnostics, const DiagnosticStyle& style = {});

// `file:line:column`, `file:0x1a40`, `file`, or nothing.
std::string format_location(const SourceLocation& location);

// The number of terminal columns that UTF-8 text takes: wide East Asian characters count two, combining marks none.
std::size_t display_width(std::string_view text);

}  // namespace slipway
