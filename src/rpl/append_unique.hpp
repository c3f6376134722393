// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Appends diagnostics without repetitions of the same kind at the same location: text that is resolved twice reports
// its problems twice.
#pragma once

#include <set>
#include <tuple>

#include "base/diagnostic.hpp"

namespace slipway::rpl {

inline void append_unique(const Diagnostics& found, Diagnostics& diagnostics) {
  std::set<std::tuple<const Source*, std::uint64_t, std::uint64_t, DiagnosticKind>> seen;
  for (const Diagnostic& problem : found.all()) {
    const bool placed = problem.location.kind == SourceLocation::Kind::Text;
    const Span span = problem.location.span;
    if (placed && !seen.emplace(problem.location.source.get(), span.begin, span.end, problem.kind).second) continue;
    diagnostics.add(problem);
  }
}

}  // namespace slipway::rpl
