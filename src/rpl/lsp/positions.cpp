// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "rpl/lsp/positions.hpp"

#include <algorithm>

namespace slipway::rpl::lsp {
namespace {

// UTF-16 code units of one byte: the first byte of a character counts all of its units, other bytes count 0.
std::uint32_t units(char c) {
  const auto byte = static_cast<unsigned char>(c);
  if (byte >= 0x80 && byte < 0xC0) return 0;
  return byte >= 0xF0 ? 2 : 1;
}

}  // namespace

LinePosition position_of(const Source& source, std::uint64_t offset, Encoding encoding) {
  const Position position = source.position(offset);
  if (encoding == Encoding::Utf8) return {position.line - 1, position.column - 1};
  std::uint32_t character = 0;
  for (const char c : source.line(position.line).substr(0, position.column - 1)) character += units(c);
  return {position.line - 1, character};
}

std::uint64_t offset_of(const Source& source, LinePosition position, Encoding encoding) {
  const std::string_view text = source.text();
  if (position.line == ~0U) return text.size();
  const std::string_view line = source.line(position.line + 1);
  if (line.data() == nullptr || line.data() < text.data() || line.data() > text.data() + text.size())
    return text.size();
  const auto start = static_cast<std::uint64_t>(line.data() - text.data());
  if (encoding == Encoding::Utf8) return start + std::min<std::uint64_t>(position.character, line.size());
  std::uint64_t at = 0;
  for (std::uint32_t passed = 0; at < line.size(); ++at) {
    if (passed >= position.character && units(line[at]) != 0) break;
    passed += units(line[at]);
  }
  return start + at;
}

void write_range(json::Writer& out, const Source& source, Span span, Encoding encoding) {
  const auto end = [&](std::string_view key, std::uint64_t offset) {
    const LinePosition position = position_of(source, offset, encoding);
    out.key(key).object([&] { out.member("line", position.line).member("character", position.character); });
  };
  out.object([&] {
    end("start", span.begin);
    end("end", span.end);
  });
}

}  // namespace slipway::rpl::lsp
