// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Positions in a text as the Language Server Protocol counts them: lines and characters from 0, characters in UTF-16
// code units unless client and server have agreed on UTF-8.
#pragma once

#include "base/text/source.hpp"
#include "json/writer.hpp"

namespace slipway::rpl::lsp {

enum class Encoding : std::uint8_t { Utf16, Utf8 };

struct LinePosition {
  std::uint32_t line = 0, character = 0;
  bool operator==(const LinePosition&) const = default;
};

LinePosition position_of(const Source& source, std::uint64_t offset, Encoding encoding);
// Positions past the end of a line or of the text count as the end.
std::uint64_t offset_of(const Source& source, LinePosition position, Encoding encoding);

// {"start": {...}, "end": {...}}
void write_range(json::Writer& out, const Source& source, Span span, Encoding encoding);

}  // namespace slipway::rpl::lsp
