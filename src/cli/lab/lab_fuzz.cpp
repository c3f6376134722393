// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Expectations files and results files: reading does not crash, what is read is written so that it is read again, and
// an updated expectations file is valid.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include "base/bytes.hpp"
#include "cli/lab/expectations.hpp"
#include "cli/lab/results/page.hpp"
#include "cli/lab/results/result.hpp"
#include "cli/lab/results/summary.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace slipway;
  using namespace slipway::cli;
  const std::string text(text_of(std::as_bytes(std::span(data, size))));
  Diagnostics diagnostics;
  const auto expectations = Expectations::parse(make_source("expectations", text), diagnostics);
  if (expectations) {
    CaseResult result{.file = "a.json", .verdict = CaseVerdict::Failed, .exit_status = 1};
    std::vector<std::string> changes;
    const std::string updated = update_expectations(*expectations, {&result, 1}, false, changes);
    if (!Expectations::parse(make_source("updated", updated), diagnostics)) std::abort();
  }
  const auto results = parse_results(text, "results", diagnostics);
  if (!results) return 0;
  for (const CaseResult& result : results->cases) {
    if (!std::isfinite(result.seconds) || !std::isfinite(result.at)) continue;  // JSON cannot represent them
    const auto again = parse_results(case_line(result) + "\n", "again", diagnostics);
    if (!again || again->cases.size() != 1 || case_line(again->cases[0]) != case_line(result)) std::abort();
  }
  (void)write_lab_junit(*results);
  (void)write_lab_sarif(*results, "1.0");
  (void)write_results_page(*results, &*results);
  return 0;
}
