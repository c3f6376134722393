// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "json/diagnostics.hpp"

#include <algorithm>
#include <utility>

namespace slipway::json {
namespace {

constexpr Word<Severity> kSeverities[] = {
    {"error", Severity::Error}, {"warning", Severity::Warning}, {"note", Severity::Note}};

struct KindName {
  void write(Writer& out, DiagnosticKind from) const { out.value(name_of(from)); }
  void schema(Schema& schema) const { schema.out().raw(R"({ "type": "string", "pattern": "^[a-z0-9-]+$" })"); }
};

// The values of options, as JSON.
using NamedValues = std::vector<std::pair<std::string, std::string>>;
constexpr Raw kOptionValue{R"({ "type": ["boolean", "number", "string"] })"};

using Positions = std::pair<Position, Position>;

const Record<Position>& position_record() {
  static const auto record = Record<Position>("position", "a position in a text")
                                 .required("line", &Position::line, Integer{.min = 1}, "from 1")
                                 .required("column", &Position::column, Integer{.min = 1}, "from 1, in bytes")
                                 .required("offset", &Position::offset, Integer{}, "bytes from the start of the text");
  return record;
}

const Record<Positions>& span_record() {
  static const auto record =
      Record<Positions>("span", "a range of a text")
          .required("start", &Positions::first, Nested(position_record()), "its first character")
          .required("end", &Positions::second, Nested(position_record()), "after its last character");
  return record;
}

const Record<Span>& bytes_record() {
  static const auto record = Record<Span>("bytes", "a range of bytes of a binary file")
                                 .required("start", &Span::begin, Integer{}, "the first byte")
                                 .required("end", &Span::end, Integer{}, "after the last byte");
  return record;
}

std::optional<Positions> positions_of(const SourceLocation& location) {
  if (location.kind != SourceLocation::Kind::Text) return std::nullopt;
  return Positions{location.source->position(location.span.begin), location.source->position(location.span.end)};
}

const Record<SourceLocation>& location_record() {
  using L = SourceLocation;
  static const auto record =
      Record<L>("location", "where something is")
          .optional(
              "file", [](const L& from) { return from.kind == L::Kind::None ? nullptr : &from.file; }, Text{},
              "the name of the file")
          .optional("span", positions_of, Nested(span_record()), "the range in a text")
          .optional(
              "bytes", [](const L& from) { return from.kind == L::Kind::Bytes ? &from.span : nullptr; },
              Nested(bytes_record()), "the range in a binary file");
  return record;
}

const Record<DiagnosticNote>& note_record() {
  static const auto record = Record<DiagnosticNote>("note", "a further location that explains a diagnostic")
                                 .required("message", &DiagnosticNote::message, Text{}, "what is there")
                                 .part(&DiagnosticNote::location, location_record());
  return record;
}

const Record<Suggestion>& suggestion_record() {
  static const auto record =
      Record<Suggestion>("suggestion", "a replacement of text that corrects the error")
          .required("message", &Suggestion::message, Text{}, "what it does")
          .part(&Suggestion::location, location_record())
          .required("text", &Suggestion::text, Text{}, "the text that replaces the one at the location");
  return record;
}

const std::string* if_not_empty(const std::string& text) { return text.empty() ? nullptr : &text; }

auto count_of(Severity severity) {
  return [severity](const DiagnosticList& from) {
    return std::ranges::count(from.diagnostics, severity, &Diagnostic::severity);
  };
}

}  // namespace

const Record<Diagnostic>& diagnostic_record() {
  using D = Diagnostic;
  static const auto record =
      Record<D>("diagnostic", "an error, a warning or a note")
          .required("severity", &D::severity, Words<Severity>(kSeverities), "errors decide the exit status")
          .required("kind", &D::kind, KindName{}, "its kind (docs/diagnostics.md)")
          .required("message", &D::message, Text{}, "the message")
          .part(&D::location, location_record())
          .optional(
              "path", [](const D& from) { return if_not_empty(from.path); }, Text{}, "JSON pointer")
          .optional(
              "uid", [](const D& from) { return if_not_empty(from.uid); }, Text{}, "the resource concerned")
          .required("notes", &D::notes, List{Nested(note_record())}, "further locations")
          .required("suggestions", &D::suggestions, List{Nested(suggestion_record())}, "corrections")
          .optional(
              "assignment",
              [](const D& from) -> const NamedValues* { return from.assignment.empty() ? nullptr : &from.assignment; },
              Map{kOptionValue}, "in runs over many variants: values of options under which the problem arises");
  return record;
}

const Record<DiagnosticList>& diagnostics_record() {
  using L = DiagnosticList;
  static const auto record =
      Record<L>("diagnostics", "what a verb reports with --json")
          .required("diagnostics", &L::diagnostics, List{Nested(diagnostic_record())}, "in the order of the locations")
          .required("errors", count_of(Severity::Error), Integer{}, "how many are errors")
          .required("warnings", count_of(Severity::Warning), Integer{}, "how many are warnings");
  return record;
}

std::string diagnostics_text(std::span<const Diagnostic> diagnostics) {
  return object_text(diagnostics_record(), {diagnostics});
}

}  // namespace slipway::json
