// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "json/sarif.hpp"

#include <algorithm>
#include <set>

#include "base/format.hpp"
#include "json/writer.hpp"

namespace slipway::json {
namespace {

std::string_view level_of(Severity severity) {
  return severity == Severity::Error ? "error" : severity == Severity::Warning ? "warning" : "note";
}

// SARIF counts characters; a Position counts bytes.
std::uint32_t column_of(const Source& source, Position position) {
  const std::string_view before = source.line(position.line).substr(0, position.column - 1);
  const auto is_continuation = [](char c) { return (static_cast<unsigned char>(c) & 0xc0) == 0x80; };
  return position.column - static_cast<std::uint32_t>(std::ranges::count_if(before, is_continuation));
}

// A relative or absolute path as a URI reference (RFC 3986): other bytes than these become %XX.
std::string uri_of(std::string_view path) {
  std::string uri;
  for (const char c : path) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       std::string_view("-._~/").contains(c);
    uri += plain ? std::string(1, c) : formatted("%{:02X}", static_cast<unsigned char>(c));
  }
  return uri;
}

// `<stdin>` and texts of the library are not files.
bool is_file(const SourceLocation& location) {
  return location.kind != SourceLocation::Kind::None && !location.file.empty() && !location.file.starts_with('<');
}

void write_location(Writer& out, const SourceLocation& location, std::string_view message) {
  out.object([&] {
    if (is_file(location)) {
      out.key("physicalLocation").object([&] {
        out.key("artifactLocation").object([&] { out.member("uri", uri_of(location.file)); });
        if (location.kind == SourceLocation::Kind::Text) {
          const Position start = location.source->position(location.span.begin),
                         end = location.source->position(location.span.end);
          out.key("region").object([&] {
            out.member("startLine", start.line).member("startColumn", column_of(*location.source, start));
            out.member("endLine", end.line).member("endColumn", column_of(*location.source, end));
          });
        } else if (location.kind == SourceLocation::Kind::Bytes) {
          out.key("region").object([&] {
            out.member("byteOffset", location.span.begin).member("byteLength", location.span.end - location.span.begin);
          });
        }
      });
    }
    if (!message.empty()) out.key("message").object([&] { out.member("text", message); });
  });
}

void write_result(Writer& out, const Diagnostic& diagnostic) {
  out.object([&] {
    out.member("ruleId", name_of(diagnostic.kind)).member("level", level_of(diagnostic.severity));
    out.key("message").object([&] { out.member("text", diagnostic.message); });
    out.key("locations").array([&] { write_location(out, diagnostic.location, ""); });
    if (diagnostic.notes.empty()) return;
    out.key("relatedLocations").array([&] {
      for (const DiagnosticNote& note : diagnostic.notes) write_location(out, note.location, note.message);
    });
  });
}

}  // namespace

std::string sarif_text(std::span<const Diagnostic> diagnostics, std::string_view version) {
  std::set<DiagnosticKind> kinds;
  for (const Diagnostic& diagnostic : diagnostics) kinds.insert(diagnostic.kind);
  Writer out;
  out.object([&] {
    out.member("$schema", "https://json.schemastore.org/sarif-2.1.0.json").member("version", "2.1.0");
    out.key("runs").array([&] {
      out.object([&] {
        out.key("tool").object([&] {
          out.key("driver").object([&] {
            out.member("name", "slipway").member("semanticVersion", version);
            out.key("rules").array([&] {
              for (const DiagnosticKind kind : kinds) {
                out.object([&] {
                  out.member("id", name_of(kind));
                  out.key("shortDescription").object([&] {
                    out.member("text", diagnostic_kinds()[static_cast<std::size_t>(kind)].meaning);
                  });
                });
              }
            });
          });
        });
        out.key("columnKind").value("unicodeCodePoints");
        out.key("results").array([&] {
          for (const Diagnostic& diagnostic : diagnostics) write_result(out, diagnostic);
        });
      });
    });
  });
  return out.text();
}

}  // namespace slipway::json
