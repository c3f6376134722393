// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "json/sarif.hpp"

#include <algorithm>
#include <filesystem>
#include <set>
#include <utility>

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

// A path as a URI reference (RFC 3986), an absolute one with the scheme: other bytes than these become %XX.
std::string uri_of(std::string_view path) {
  constexpr bool kHasDrives = std::filesystem::path::preferred_separator == '\\';
  const bool has_drive = kHasDrives && path.size() > 2 && path[1] == ':';
  std::string uri = has_drive                                                         ? "file:///"
                    : path.starts_with('/') || (kHasDrives && path.starts_with('\\')) ? "file://"
                                                                                      : "";
  for (const char byte : path) {
    const char c = kHasDrives && byte == '\\' ? '/' : byte;
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       std::string_view("-._~/").contains(c);
    uri += plain ? std::string(1, c) : formatted("%{:02X}", static_cast<unsigned char>(c));
  }
  return uri;
}

// `<stdin>` and texts of the library are not files.
bool is_file(std::string_view name) { return !name.empty() && !name.starts_with('<'); }

void write_location(Writer& out, const SarifLocation& location) {
  out.object([&] {
    if (is_file(location.file)) {
      out.key("physicalLocation").object([&] {
        out.key("artifactLocation").object([&] { out.member("uri", uri_of(location.file)); });
        if (location.text) {
          out.key("region").object([&] {
            const SarifLocation::Text& text = *location.text;
            out.member("startLine", text.line);
            if (text.column != 0) out.member("startColumn", text.column);
            out.member("endLine", text.end_line);
            if (text.end_column != 0) out.member("endColumn", text.end_column);
          });
        } else if (location.bytes) {
          out.key("region").object(
              [&] { out.member("byteOffset", location.bytes->offset).member("byteLength", location.bytes->length); });
        }
      });
    }
    if (!location.message.empty()) out.key("message").object([&] { out.member("text", location.message); });
  });
}

void write_result(Writer& out, const SarifResult& result) {
  out.object([&] {
    out.member("ruleId", result.kind).member("level", level_of(result.severity));
    out.key("message").object([&] { out.member("text", result.message); });
    if (is_file(result.location.file)) out.key("locations").array([&] { write_location(out, result.location); });
    if (result.related.empty()) return;
    out.key("relatedLocations").array([&] {  // each once, as the format requires
      for (auto location = result.related.begin(); location != result.related.end(); ++location) {
        if (std::find(result.related.begin(), location, *location) == location) write_location(out, *location);
      }
    });
  });
}

std::string_view meaning_of(std::string_view kind) {
  const auto& kinds = diagnostic_kinds();
  const auto found = std::ranges::find(kinds, kind, [](const auto& each) { return each.name; });
  return found == kinds.end() ? std::string_view() : found->meaning;
}

}  // namespace

SarifLocation sarif_location(const SourceLocation& location, std::string_view message) {
  SarifLocation to;
  to.message = message;
  if (location.kind == SourceLocation::Kind::None) return to;
  to.file = location.file;
  if (location.kind == SourceLocation::Kind::Text) {
    const Source& source = *location.source;
    const Position start = source.position(location.span.begin), end = source.position(location.span.end);
    to.text = {start.line, column_of(source, start), end.line, column_of(source, end)};
  } else if (location.kind == SourceLocation::Kind::Bytes) {
    to.bytes = {location.span.begin, location.span.end - location.span.begin};
  }
  return to;
}

std::string sarif_text(std::span<const SarifResult> results, std::string_view version) {
  std::set<std::string_view> kinds;
  for (const SarifResult& result : results) kinds.insert(result.kind);
  Writer out;
  out.object([&] {
    out.member("$schema", "https://json.schemastore.org/sarif-2.1.0.json").member("version", "2.1.0");
    out.key("runs").array([&] {
      out.object([&] {
        out.key("tool").object([&] {
          out.key("driver").object([&] {
            out.member("name", "slipway").member("semanticVersion", version);
            out.key("rules").array([&] {
              for (const std::string_view kind : kinds) {
                out.object([&] {
                  out.member("id", kind);
                  if (const std::string_view meaning = meaning_of(kind); !meaning.empty())
                    out.key("shortDescription").object([&] { out.member("text", meaning); });
                });
              }
            });
          });
        });
        out.key("columnKind").value("unicodeCodePoints");
        out.key("results").array([&] {
          for (const SarifResult& result : results) write_result(out, result);
        });
      });
    });
  });
  return out.text();
}

std::string sarif_text(std::span<const Diagnostic> diagnostics, std::string_view version) {
  std::vector<SarifResult> results;
  for (const Diagnostic& diagnostic : diagnostics) {
    SarifResult& result = results.emplace_back(SarifResult{std::string(name_of(diagnostic.kind)),
                                                           diagnostic.severity,
                                                           diagnostic.message,
                                                           sarif_location(diagnostic.location, ""),
                                                           {}});
    for (const DiagnosticNote& note : diagnostic.notes)
      result.related.push_back(sarif_location(note.location, note.message));
  }
  return sarif_text(results, version);
}

}  // namespace slipway::json
