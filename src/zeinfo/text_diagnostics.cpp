// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "zeinfo/text_diagnostics.hpp"

#include <algorithm>

namespace slipway::zeinfo {

Diagnostic* TextDiagnostics::report(Severity severity, DiagnosticKind kind, Span span, std::string_view message) {
  const bool wanted = keeps(severity);
  count(severity);
  if (!wanted) return nullptr;
  Diagnostic& added =
      to_->add({.severity = severity, .kind = kind, .message = std::string(message), .location = location(span)});
  if (decorate_) decorate_(added);
  return &added;
}

SourceLocation TextDiagnostics::location(Span span) {
  if (span == Span{}) return SourceLocation::in_file(name_);
  if (!source_) source_ = make_source(name_, std::string(text_));
  return SourceLocation::in_text(source_, span);
}

std::size_t TextDiagnostics::dropped() const {
  std::size_t sum = 0;
  for (const std::size_t one : counts_) sum += one - std::min(one, limit_);
  return sum;
}

}  // namespace slipway::zeinfo
