// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/print_diagnostic.hpp"

#include <algorithm>

#include "base/format.hpp"
#include "base/text/control_characters.hpp"

namespace slipway {
namespace {

constexpr std::string_view kBold = "\x1b[1m", kRed = "\x1b[1;31m", kMagenta = "\x1b[1;35m", kCyan = "\x1b[1;36m",
                           kGreen = "\x1b[1;32m", kReset = "\x1b[0m";

std::string_view word_for(Severity severity) {
  switch (severity) {
    case Severity::Error:
      return "error";
    case Severity::Warning:
      return "warning";
    case Severity::Note:
      return "note";
  }
  return "error";
}

std::string_view colour_for(Severity severity) {
  switch (severity) {
    case Severity::Error:
      return kRed;
    case Severity::Warning:
      return kMagenta;
    case Severity::Note:
      return kCyan;
  }
  return kRed;
}

std::string painted(std::string_view text, std::string_view colour, bool use) {
  return use ? formatted("{}{}{}", colour, text, kReset) : std::string(text);
}

// Decodes one character and removes it from the text; a byte that is not UTF-8 is a character of its own.
char32_t next_character(std::string_view& text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  std::size_t length = 1;
  char32_t value = byte(0);
  if (value >= 0xf0) {
    length = 4;
    value &= 0x07;
  } else if (value >= 0xe0) {
    length = 3;
    value &= 0x0f;
  } else if (value >= 0xc0) {
    length = 2;
    value &= 0x1f;
  }
  if (length > text.size()) length = 1;
  for (std::size_t i = 1; i < length; ++i) value = (value << 6) | (byte(i) & 0x3f);
  text.remove_prefix(length);
  return value;
}

std::size_t width_of(char32_t c) {
  const auto in = [c](char32_t low, char32_t high) { return c >= low && c <= high; };
  if (in(0x300, 0x36f) || in(0x200b, 0x200f) || in(0xfe00, 0xfe0f)) return 0;
  const bool wide = in(0x1100, 0x115f) || in(0x2e80, 0xa4cf) || in(0xac00, 0xd7a3) || in(0xf900, 0xfaff) ||
                    in(0xfe30, 0xfe6f) || in(0xff00, 0xff60) || in(0xffe0, 0xffe6) || in(0x1f300, 0x1faff) ||
                    in(0x20000, 0x3fffd);
  return wide ? 2 : 1;
}

// A line and the caret under it. The padding before the caret repeats the tabs, so that they have the same width.
std::string excerpt(const SourceLocation& location, bool colour) {
  constexpr std::size_t kMaxLine = 160;
  const Position start = location.source->position(location.span.begin);
  std::string_view line = location.source->line(start.line);
  std::size_t column = std::min<std::size_t>(start.column - 1, line.size());
  std::string_view lead;
  if (line.size() > kMaxLine && column > kMaxLine / 2) {  // show the part of a long line around the location
    const std::size_t cut = column - kMaxLine / 2;
    line.remove_prefix(cut);
    column -= cut;
    lead = "...";
  }
  std::string_view tail;
  if (line.size() > kMaxLine) {
    line = line.substr(0, kMaxLine);
    tail = "...";
  }
  const std::string_view before = line.substr(0, column);
  const std::size_t length =
      std::clamp<std::size_t>(location.span.end - location.span.begin, 1, line.size() - column + 1);
  const std::size_t marked = std::max<std::size_t>(1, display_width(line.substr(column, length)));

  std::string padding(lead.size(), ' ');
  for (std::string_view rest = before; !rest.empty();) {
    const char32_t c = next_character(rest);
    padding += c == '\t' ? std::string("\t") : std::string(width_of(c), ' ');
  }
  const std::string number = std::to_string(start.line);
  return formatted("{:>5} | {}{}{}\n      | {}{}\n", number, lead, show_control_characters(line), tail, padding,
                   painted("^" + std::string(marked - 1, '~'), kGreen, colour));
}

std::string where(const SourceLocation& location, bool colour) {
  const std::string text = show_control_characters(format_location(location), {.newlines = false});
  return text.empty() ? "" : painted(text + ":", kBold, colour) + " ";
}

}  // namespace

std::size_t display_width(std::string_view text) {
  // Most texts are ASCII, where each byte is one column wide.
  if (std::ranges::all_of(text, [](char c) { return static_cast<unsigned char>(c) < 0x80; })) return text.size();
  std::size_t width = 0;
  while (!text.empty()) width += width_of(next_character(text));
  return width;
}

std::string format_location(const SourceLocation& location) {
  switch (location.kind) {
    case SourceLocation::Kind::None:
      return "";
    case SourceLocation::Kind::File:
      return location.file;
    case SourceLocation::Kind::Bytes:
      return formatted("{}:{:#x}", location.file, location.span.begin);
    case SourceLocation::Kind::Text: {
      const Position start = location.source->position(location.span.begin);
      return formatted("{}:{}:{}", location.file, start.line, start.column);
    }
  }
  return "";
}

std::string format_diagnostic(const Diagnostic& diagnostic, const DiagnosticStyle& style) {
  std::string out = where(diagnostic.location, style.colour);
  if (style.severity)
    out += painted(word_for(diagnostic.severity), colour_for(diagnostic.severity), style.colour) + ": ";
  out += formatted("{} [{}]\n", show_control_characters(diagnostic.message), name_of(diagnostic.kind));
  if (style.sources && diagnostic.location.kind == SourceLocation::Kind::Text)
    out += excerpt(diagnostic.location, style.colour);
  if (!diagnostic.path.empty()) {
    out += formatted("  = at {}{}\n", show_control_characters(diagnostic.path, {.newlines = false}),
                     diagnostic.uid.empty()
                         ? ""
                         : formatted(" (uid {})", show_control_characters(diagnostic.uid, {.newlines = false})));
  }
  for (const DiagnosticNote& note : diagnostic.notes) {
    out += formatted("{}{}: {}\n",
                     note.location.kind == SourceLocation::Kind::None ? "  " : where(note.location, style.colour),
                     painted("note", kCyan, style.colour), show_control_characters(note.message));
    if (style.sources && note.location.kind == SourceLocation::Kind::Text) out += excerpt(note.location, style.colour);
  }
  return out;
}

std::string format_diagnostics(std::span<const Diagnostic> diagnostics, const DiagnosticStyle& style) {
  std::string out;
  for (const Diagnostic& diagnostic : diagnostics.first(std::min(diagnostics.size(), style.max_errors))) {
    out += format_diagnostic(diagnostic, style);
  }
  if (diagnostics.size() > style.max_errors) {
    out += formatted("{} more problems are not shown\n", diagnostics.size() - style.max_errors);
  }
  return out;
}

}  // namespace slipway
