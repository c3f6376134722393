// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "json/diagnostics.hpp"

#include <algorithm>

namespace slipway::json {
namespace {

void write_position(Writer& out, std::string_view name, Position position) {
  out.key(name).object(
      [&] { out.member("line", position.line).member("column", position.column).member("offset", position.offset); });
}

void write_location(Writer& out, const SourceLocation& location) {
  if (location.kind != SourceLocation::Kind::None) out.member("file", location.file);
  if (location.kind == SourceLocation::Kind::Text) {
    out.key("span").object([&] {
      write_position(out, "start", location.source->position(location.span.begin));
      write_position(out, "end", location.source->position(location.span.end));
    });
  } else if (location.kind == SourceLocation::Kind::Bytes) {
    out.key("bytes").object([&] { out.member("start", location.span.begin).member("end", location.span.end); });
  }
}

std::string_view word_for(Severity severity) {
  return severity == Severity::Error ? "error" : severity == Severity::Warning ? "warning" : "note";
}

void write_diagnostic(Writer& out, const Diagnostic& diagnostic) {
  out.object([&] {
    out.member("severity", word_for(diagnostic.severity)).member("kind", name_of(diagnostic.kind));
    out.member("message", diagnostic.message);
    write_location(out, diagnostic.location);
    if (!diagnostic.path.empty()) out.member("path", diagnostic.path);
    if (!diagnostic.uid.empty()) out.member("uid", diagnostic.uid);
    out.key("notes").array([&] {
      for (const DiagnosticNote& note : diagnostic.notes) {
        out.object([&] {
          out.member("message", note.message);
          write_location(out, note.location);
        });
      }
    });
    out.key("suggestions").array([&] {
      for (const Suggestion& suggestion : diagnostic.suggestions) {
        out.object([&] {
          out.member("message", suggestion.message);
          write_location(out, suggestion.location);
          out.member("text", suggestion.text);
        });
      }
    });
    if (diagnostic.assignment.empty()) return;
    out.key("assignment").object([&] {
      for (const auto& [name, value] : diagnostic.assignment) out.key(name).raw(value);
    });
  });
}

}  // namespace

void write_diagnostics(Writer& out, std::span<const Diagnostic> diagnostics) {
  out.key("diagnostics").array([&] {
    for (const Diagnostic& diagnostic : diagnostics) write_diagnostic(out, diagnostic);
  });
  out.member("errors", std::ranges::count(diagnostics, Severity::Error, &Diagnostic::severity));
  out.member("warnings", std::ranges::count(diagnostics, Severity::Warning, &Diagnostic::severity));
}

std::string diagnostics_text(std::span<const Diagnostic> diagnostics) {
  Writer out;
  out.object([&] { write_diagnostics(out, diagnostics); });
  return out.text();
}

}  // namespace slipway::json
