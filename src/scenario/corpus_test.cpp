// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The corpus tests/corpus/scenario: NAME.json, with its diagnostics in NAME.expected.
//
// A name begins with `fail_` exactly when there is an error. Words between the dots of a name select how the case is
// run:
//   x.json             read and checked as `run` does
//   x.check.json       as `check` does: unknown keys are errors, unused resources are noted
//   x.syntax.json      phases 1 and 2 only
//   x.portable.json    as `check --portable`
//   x.confine.json     with --confine
//
// UPDATE_CORPUS=1 rewrites the expectations. It does not change which kinds of diagnostics a case produces;
// UPDATE_CORPUS=kinds does, and prints the cases.
#include <gtest/gtest.h>

#include <algorithm>

#include "base/format.hpp"
#include "base/print_diagnostic.hpp"
#include "scenario/check.hpp"
#include "scenario/portable.hpp"
#include "scenario/read.hpp"
#include "testing/corpus_expectation.hpp"
#include "testing/source_directory.hpp"

namespace slipway::scenario {
namespace {

const Path kCorpus = testing::source_directory() / "tests/corpus/scenario";

std::vector<Path> cases() {
  std::vector<Path> found;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(kCorpus)) {
    // Of paths that are absolute without a drive.
    constexpr std::string_view kOfPosix[] = {"fail_confine.confine.json", "fail_output_twice.json",
                                             "portable.portable.json"};
    if (!Path("/").is_absolute() && std::ranges::contains(kOfPosix, entry.path().filename().string())) continue;
    if (entry.path().extension() == ".json") found.push_back(entry.path());
  }
  std::ranges::sort(found);
  return found;
}

bool has_word(const Path& path, std::string_view word) {
  return path.filename().string().contains(formatted(".{}.", word));
}

Diagnostics run(const Path& path) {
  Diagnostics diagnostics;
  const auto source = read_source(path, path.filename().string());
  if (!source) {
    diagnostics.add(source.error());
    return diagnostics;
  }
  const bool check = has_word(path, "check") || has_word(path, "portable");
  // A directory that does not exist, so that no message contains a path of this machine.
  const Path directory = "/scenarios";
  auto scenario =
      read_scenario(*source, directory, {.leniency = check ? Severity::Error : Severity::Warning}, diagnostics);
  if (scenario && !has_word(path, "syntax")) {
    scenario->confine = has_word(path, "confine");
    check_scenario(*scenario, {.checking = check}, diagnostics);
    if (has_word(path, "portable")) check_portable(*scenario, diagnostics);
  }
  diagnostics.sort();
  return diagnostics;
}

TEST(Corpus, ReportsExpectedDiagnostics) {
  ASSERT_GT(cases().size(), 100u);
  for (const Path& path : cases()) {
    SCOPED_TRACE(path.filename().string());
    const Diagnostics diagnostics = run(path);
    const std::string actual = format_diagnostics(diagnostics.all(), {.sources = false});
    testing::expect_as_written(path, diagnostics, actual);
  }
}

}  // namespace
}  // namespace slipway::scenario
