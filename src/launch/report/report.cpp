// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "launch/report/report.hpp"

#include <algorithm>
#include <iterator>
#include <ranges>
#include <string_view>

#include "base/format.hpp"

namespace slipway::launch {

std::string print_expectations(std::span<const ExpectationOutcome> expectations) {
  std::size_t width = 0;
  for (const ExpectationOutcome& expectation : expectations) width = std::max(width, expectation.resource.size());
  std::string text;
  for (const ExpectationOutcome& expectation : expectations) {
    text += tensor::comparison_text(expectation.resource, expectation.comparison, width);
  }
  return text;
}

std::string print_shader_output(std::span<const std::string> printed) {
  constexpr std::size_t kMaxShown = 100;
  std::string text;
  for (const std::string& of_call : printed.first(std::min(printed.size(), kMaxShown))) {
    for (const auto line : of_call | std::views::split('\n'))
      text += formatted("printed: {}\n", std::string_view(line));
  }
  if (printed.size() > kMaxShown)
    text += formatted("printed: ... and {} more lines, which --report has\n", printed.size() - kMaxShown);
  return text;
}

std::vector<Diagnostic> take_unwritten(Report& report) {
  const auto unwritten = std::ranges::stable_partition(report.diagnostics, [](const Diagnostic& diagnostic) {
    return diagnostic.kind != DiagnosticKind::OutputNotWritten;
  });
  std::vector<Diagnostic> taken(std::make_move_iterator(unwritten.begin()), std::make_move_iterator(unwritten.end()));
  report.diagnostics.erase(unwritten.begin(), unwritten.end());
  return taken;
}

std::vector<Diagnostic> FileReport::all_diagnostics() const {
  std::vector<Diagnostic> all = diagnostics;
  if (report) std::ranges::copy(report->diagnostics, std::back_inserter(all));
  return all;
}

int FileReport::status() const { return exit_status(all_diagnostics()); }

}  // namespace slipway::launch
