// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Runs tests/corpus/rpl (testing/rpl_case.hpp). A case without errors expects its warnings and then the listing of what
// it resolves to.
//
// UPDATE_CORPUS=1 rewrites the expectations. It refuses to change the kinds of diagnostics of a case;
// UPDATE_CORPUS=kinds changes them, too, and reports it.
#include <gtest/gtest.h>

#include <cstdlib>
#include <iostream>
#include <map>
#include <set>

#include "base/print_diagnostic.hpp"
#include "testing/corpus_expectation.hpp"
#include "testing/rpl_case.hpp"
#include "testing/rpl_listing.hpp"

namespace slipway::rpl {
namespace {

using testing::RplCase;

struct Outcome {
  bool failed = false;
  std::string text;
};

Outcome run(const RplCase& given) {
  Diagnostics diagnostics;
  std::string listing;
  const Program program = testing::parse_case(given, diagnostics);
  if (program.valid) {
    Assignment assignment;
    for (const std::string& option : given.options) {
      set_option(program, option, OptionFilter::Any, SourceLocation::nowhere(), assignment, diagnostics);
    }
    Resolver resolver;
    const Resolved* const resolved =
        resolver.resolve(program, assignment, given.entry_points, given.settings, diagnostics);
    if (resolved) listing = testing::list_resolved(*resolved);
  }
  diagnostics.sort();
  if (diagnostics.has_errors()) listing.clear();
  std::string messages = format_diagnostics(diagnostics.all(), {.sources = false});
  return {diagnostics.has_errors(), messages + listing};
}

TEST(RplCorpus, GivesTheExpectedOutcomes) {
  const char* const wish = std::getenv("UPDATE_CORPUS");
  const bool kinds_too = wish && std::string_view(wish) == "kinds";
  const std::vector<RplCase> cases = testing::rpl_cases();
  ASSERT_GT(cases.size(), 250u);
  std::map<Path, std::string> files;
  std::set<std::string> names;
  for (const RplCase& given : cases) {
    SCOPED_TRACE(given.file.filename().string() + ": " + given.name);
    EXPECT_TRUE(names.insert(given.name).second) << "two cases of one name";
    const Outcome outcome = run(given);
    EXPECT_EQ(given.fails(), outcome.failed) << outcome.text;
    if (!wish) {
      EXPECT_EQ(outcome.text, given.expected);
    }
    std::string expected = outcome.text;
    if (!given.expected.empty() && testing::kinds_in(given.expected) != testing::kinds_in(outcome.text) && !kinds_too) {
      if (wish) ADD_FAILURE() << "other kinds of diagnostics; UPDATE_CORPUS=kinds takes them\n" << outcome.text;
      expected = given.expected;
    }
    std::string& file = files[given.file];
    file += given.heading + "\n";
    for (const testing::RplModule& module : given.modules) {
      if (&module != &given.modules.front()) file += "--- module " + module.name + "\n";
      file += module.text;
    }
    file += "--- expected\n" + expected;
  }
  if (!wish) return;
  for (const auto& [path, text] : files) ASSERT_TRUE(write_file(path, text));
}

}  // namespace
}  // namespace slipway::rpl
