// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/diagnostic.hpp"

#include <algorithm>
#include <array>
#include <tuple>

#include "base/format.hpp"

namespace slipway {

const std::vector<DiagnosticKindInfo>& diagnostic_kinds() {
  static const std::vector<DiagnosticKindInfo> kinds = {
#define DIAGNOSTIC(identifier, name, exit_class, acceptance, meaning) \
  {DiagnosticKind::identifier, name, ExitClass::exit_class, Acceptance::acceptance, meaning},
#include "base/diagnostic_kinds.def"
#undef DIAGNOSTIC
  };
  return kinds;
}

std::string_view name_of(DiagnosticKind kind) { return diagnostic_kinds()[static_cast<std::size_t>(kind)].name; }
ExitClass exit_class_of(DiagnosticKind kind) { return diagnostic_kinds()[static_cast<std::size_t>(kind)].exit_class; }

Diagnostic& Diagnostic::note(std::string text, SourceLocation where) {
  notes.push_back({std::move(text), std::move(where)});
  return *this;
}

Diagnostic& Diagnostic::hint(std::string text) {
  message += "; " + std::move(text);
  return *this;
}

Diagnostic& Diagnostic::suggest(SourceLocation where, std::string text) {
  hint(formatted("did you mean `{}`?", text));
  suggestions.push_back({formatted("replace by `{}`", text), std::move(where), std::move(text)});
  return *this;
}

Diagnostic& Diagnostic::as_rule() {
  severity = Severity::Warning;
  is_rule = true;
  return *this;
}

Diagnostic& Diagnostic::at(std::string json_path, std::string of_uid) {
  path = std::move(json_path);
  uid = std::move(of_uid);
  return *this;
}

std::unexpected<Failure> fail(DiagnosticKind kind, SourceLocation location, std::string message) {
  return fail(Diagnostic{.kind = kind, .message = std::move(message), .location = std::move(location)});
}

std::unexpected<Failure> fail(Diagnostic diagnostic) {
  Failure failure;
  failure.push_back(std::move(diagnostic));
  return std::unexpected(std::move(failure));
}

std::unexpected<Failure> fail(Failure failure, std::string_view note, const SourceLocation& location) {
  if (!note.empty()) {
    for (Diagnostic& diagnostic : failure) diagnostic.note(std::string(note), location);
  }
  return std::unexpected(std::move(failure));
}

namespace {

Diagnostic& append(std::vector<Diagnostic>& all, Severity severity, DiagnosticKind kind, SourceLocation location,
                   std::string message) {
  return all.emplace_back(
      Diagnostic{.severity = severity, .kind = kind, .message = std::move(message), .location = std::move(location)});
}

}  // namespace

Diagnostic& Diagnostics::error(DiagnosticKind kind, SourceLocation location, std::string message) {
  return append(all_, Severity::Error, kind, std::move(location), std::move(message));
}

Diagnostic& Diagnostics::warning(DiagnosticKind kind, SourceLocation location, std::string message) {
  return append(all_, Severity::Warning, kind, std::move(location), std::move(message));
}

Diagnostic& Diagnostics::remark(DiagnosticKind kind, SourceLocation location, std::string message) {
  return append(all_, Severity::Note, kind, std::move(location), std::move(message));
}

Diagnostic& Diagnostics::rule(DiagnosticKind kind, SourceLocation location, std::string message) {
  return append(all_, Severity::Warning, kind, std::move(location), std::move(message)).as_rule();
}

Diagnostic& Diagnostics::add(Diagnostic diagnostic) { return all_.emplace_back(std::move(diagnostic)); }

void Diagnostics::add(Failure failure) { std::ranges::move(failure, std::back_inserter(all_)); }

std::size_t Diagnostics::errors() const { return std::ranges::count(all_, Severity::Error, &Diagnostic::severity); }

std::size_t Diagnostics::warnings() const { return std::ranges::count(all_, Severity::Warning, &Diagnostic::severity); }

void Diagnostics::enforce_rules() {
  for (Diagnostic& diagnostic : all_) {
    if (diagnostic.is_rule) diagnostic.severity = Severity::Error;
  }
}

void Diagnostics::make_strict() {
  for (Diagnostic& diagnostic : all_) {
    if (diagnostic.severity == Severity::Warning) diagnostic.severity = Severity::Error;
  }
}

void Diagnostics::sort() {
  std::ranges::stable_sort(all_, [](const Diagnostic& a, const Diagnostic& b) {
    return std::tie(a.location.file, a.location.span.begin) < std::tie(b.location.file, b.location.span.begin);
  });
}

int worst_status(int a, int b) {
  constexpr std::array kOrder = {3, 5, 1, 4, 2, 0};
  return *std::ranges::find_if(kOrder, [&](int status) { return status == a || status == b; });
}

int exit_status(const std::vector<Diagnostic>& diagnostics) {
  int status = 0;
  for (const Diagnostic& diagnostic : diagnostics) {
    if (diagnostic.severity == Severity::Error) {
      status = worst_status(status, static_cast<int>(exit_class_of(diagnostic.kind)));
    }
  }
  return status;
}

}  // namespace slipway
