// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "rpl_c/problems.hpp"

#include "base/print_diagnostic.hpp"
#include "rpl_c/arena.hpp"

namespace slipway::rpl_c {
namespace {

rpl_location make_location(Arena& arena, const SourceLocation& from) {
  rpl_location made{};
  made.file = arena.text(from.file);
  made.offset = static_cast<std::uint32_t>(from.span.begin);
  made.length = static_cast<std::uint32_t>(from.span.end - from.span.begin);
  if (from.kind == SourceLocation::Kind::Text) {
    const Position start = from.source->position(from.span.begin);
    made.line = start.line;
    made.column = start.column;
  }
  return made;
}

rpl_note make_note(Arena& arena, const std::string& message, const SourceLocation& location) {
  rpl_note made{};
  made.message = arena.text(message);
  made.location = make_location(arena, location);
  return made;
}

rpl_problem make_problem(Arena& arena, const Diagnostic& from) {
  rpl_problem made{};
  made.severity = static_cast<rpl_severity>(from.severity);
  made.status = static_cast<rpl_status>(exit_class_of(from.kind));
  made.kind = arena.text(name_of(from.kind));
  made.message = arena.text(from.message);
  made.location = make_location(arena, from.location);
  made.notes = arena.list<rpl_notes>(
      from.notes, [&](const DiagnosticNote& note) { return make_note(arena, note.message, note.location); });
  made.corrections = arena.list<rpl_notes>(from.suggestions, [&](const Suggestion& correction) {
    return make_note(arena, correction.text, correction.location);
  });
  made.text = arena.text(format_diagnostic(from));
  return made;
}

}  // namespace

void give_problems(const Diagnostics& diagnostics, rpl_problems* problems) {
  if (!problems) return;
  *problems = {};
  if (diagnostics.empty()) return;
  auto arena = std::make_unique<Arena>();
  *problems =
      arena->list<rpl_problems>(diagnostics.all(), [&](const Diagnostic& each) { return make_problem(*arena, each); });
  problems->internal = arena.release();
}

rpl_status give_result(const Diagnostics& diagnostics, rpl_problems* problems) {
  give_problems(diagnostics, problems);
  return static_cast<rpl_status>(exit_status(diagnostics.all()));
}

rpl_status wrong_call(rpl_problems* problems, const char* message) {
  Diagnostics diagnostics;
  diagnostics.error(DiagnosticKind::Usage, {}, message);
  return give_result(diagnostics, problems);
}

}  // namespace slipway::rpl_c

void rpl_problems_free(rpl_problems* problems) {
  if (!problems) return;
  delete static_cast<slipway::rpl_c::Arena*>(problems->internal);
  *problems = {};
}
