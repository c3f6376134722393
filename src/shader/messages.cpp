// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A line is `ERROR: file:line:column: 'token' : message`, where location, token or both may be missing. Lines without
// the first word go on with the message before.
#include "shader/messages.hpp"

#include <algorithm>
#include <charconv>
#include <optional>

#include "base/format.hpp"

namespace slipway::shader {
namespace {

struct Message {
  Severity severity;
  std::string text;
};

std::string_view trimmed(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(" \t\r");
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(" \t\r") - begin + 1);
}

bool says_nothing(std::string_view line) {
  return line.ends_with("compilation terminated ") || line.ends_with("No code generated.") ||
         line.ends_with("HLSL parsing failed.");
}

std::vector<Message> split_log(std::string_view log) {
  std::vector<Message> messages;
  while (!log.empty()) {
    const std::string_view line = log.substr(0, log.find('\n'));
    log.remove_prefix(std::min(log.size(), line.size() + 1));
    if (line.empty() || says_nothing(line)) continue;
    constexpr std::string_view kError = "ERROR: ";
    constexpr std::string_view kWarning = "WARNING: ";
    if (line.starts_with(kError)) {
      messages.push_back({Severity::Error, std::string(line.substr(kError.size()))});
    } else if (line.starts_with(kWarning)) {
      messages.push_back({Severity::Warning, std::string(line.substr(kWarning.size()))});
    } else if (!messages.empty()) {
      std::string& text = messages.back().text;
      text = formatted("{} {}", trimmed(text), trimmed(line));
    }
  }
  return messages;
}

struct Location {
  std::string_view file;
  std::uint32_t line = 0;
  std::uint32_t column = 0;
};

// Removes a number and the colon after it from the text.
std::optional<std::uint32_t> take_number(std::string_view& text) {
  std::uint32_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end == text.data() + text.size() || *end != ':') return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()) + 1);
  return number;
}

// Removes `file:line:column: ` from the text. A file may have colons in its name: the first that numbers follow ends
// it.
std::optional<Location> take_location(std::string_view& text) {
  for (std::size_t colon = text.find(':'); colon != std::string_view::npos; colon = text.find(':', colon + 1)) {
    std::string_view rest = text.substr(colon + 1);
    const auto line = take_number(rest);
    const auto column = line ? take_number(rest) : std::nullopt;
    if (!column) continue;
    const Location location{text.substr(0, colon), *line, *column};
    text = trimmed(rest);
    return location;
  }
  return std::nullopt;
}

// Removes `'token' : ` from the text; empty without one.
std::string_view take_token(std::string_view& text) {
  const std::size_t end = text.find("' : ");
  if (!text.starts_with('\'') || end == std::string_view::npos) return {};
  const std::string_view token = text.substr(1, end - 1);
  text = trimmed(text.substr(end + 4));
  return token;
}

bool is_word(char c) { return c == '_' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

// The token on its line, where glslang's column may be inside it, else the word at the column. Empty for a line that is
// not in the source, which `#line` makes possible.
std::optional<SourceLocation> location_of(const SourcePtr& source, const Location& location, std::string_view token) {
  if (location.line == 0) return SourceLocation::in_file(source->name());
  const std::string_view line = source->line(location.line);
  if (line.data() == nullptr) return std::nullopt;
  std::size_t column = std::min<std::size_t>(location.column == 0 ? 0 : location.column - 1, line.size());
  std::size_t length = 0;
  if (!token.empty() && line.substr(column).starts_with(token)) {
    length = token.size();
  } else if (const std::size_t found = token.empty() ? std::string_view::npos : line.find(token);
             found != std::string_view::npos) {
    column = found;
    length = token.size();
  } else {
    while (column + length < line.size() && is_word(line[column + length])) ++length;
    if (length == 0 && column < line.size()) length = 1;
  }
  const auto begin = static_cast<std::uint64_t>(line.data() - source->text().data()) + column;
  return SourceLocation::in_text(source, {begin, begin + length});
}

Diagnostic diagnostic_of(const Message& message, const SourcePtr& main, const SourceMap& sources) {
  std::string_view rest = message.text;
  const auto location = take_location(rest);
  const std::string_view token = take_token(rest);
  Diagnostic diagnostic{.severity = message.severity, .kind = DiagnosticKind::ShaderCompile};
  diagnostic.message = message.severity == Severity::Error ? "Compilation error: " : "Compilation warning: ";
  if (!token.empty()) diagnostic.message += formatted("`{}`: ", token);
  diagnostic.message += trimmed(rest);

  diagnostic.location = SourceLocation::in_file(main->name());
  if (!location) return diagnostic;
  // The text that goes before the source, which holds the macros, has no name.
  constexpr std::string_view kPreamble = "-1";
  if (location->file == kPreamble) {
    diagnostic.hint("in the macros of the build options");
    return diagnostic;
  }
  const auto source = sources.find(location->file);
  const auto found = source == sources.end() ? std::nullopt : location_of(source->second, *location, token);
  if (found) {
    diagnostic.location = *found;
  } else {
    diagnostic.message += formatted(" (at {}:{})", location->file, location->line);
  }
  return diagnostic;
}

}  // namespace

std::vector<Diagnostic> read_messages(std::string_view log, const SourcePtr& main, const SourceMap& sources) {
  std::vector<Diagnostic> diagnostics;
  for (const Message& message : split_log(log)) diagnostics.push_back(diagnostic_of(message, main, sources));
  return diagnostics;
}

}  // namespace slipway::shader
