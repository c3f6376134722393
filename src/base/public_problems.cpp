#include "base/public_problems.hpp"

#include "base/print_diagnostic.hpp"

namespace slipway {
namespace {

Problem problem_of(const Diagnostic& diagnostic) {
  Problem problem{.severity = static_cast<Problem::Severity>(diagnostic.severity),
                  .kind = std::string(name_of(diagnostic.kind)),
                  .message = diagnostic.message,
                  .file = diagnostic.place.file,
                  .path = diagnostic.path,
                  .uid = diagnostic.uid,
                  .text = format_diagnostic(diagnostic),
                  .exit_status = static_cast<int>(cause_of(diagnostic.kind))};
  if (diagnostic.place.kind == Place::Kind::Text) {
    const Position start = diagnostic.place.source->position(diagnostic.place.span.begin);
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
