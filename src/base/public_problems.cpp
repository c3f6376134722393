// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/public_problems.hpp"

#include "base/print_diagnostic.hpp"

namespace slipway {
namespace {

Problem problem_of(const Diagnostic& diagnostic) {
  Problem problem{.severity = static_cast<Problem::Severity>(diagnostic.severity),
                  .kind = std::string(name_of(diagnostic.kind)),
                  .message = diagnostic.message,
                  .file = diagnostic.location.file,
                  .path = diagnostic.path,
                  .uid = diagnostic.uid,
                  .text = format_diagnostic(diagnostic),
                  .exit_status = static_cast<int>(exit_class_of(diagnostic.kind))};
  if (diagnostic.location.kind == SourceLocation::Kind::Text) {
    const Position start = diagnostic.location.source->position(diagnostic.location.span.begin);
    problem.line = start.line;
    problem.column = start.column;
  }
  return problem;
}

}  // namespace

std::vector<Problem> public_problems(std::span<const Diagnostic> diagnostics) {
  std::vector<Problem> problems;
  for (const Diagnostic& diagnostic : diagnostics) problems.push_back(problem_of(diagnostic));
  return problems;
}

}  // namespace slipway
