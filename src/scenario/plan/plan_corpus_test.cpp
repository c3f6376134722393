// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The cases of tests/corpus/scenario_files: each is one text file with a scenario, the files that it names, and the
// expected diagnostics and plan.
//
//   What the case shows.
//   === scene.json
//   {...}
//   === in.npy
//   npy '<f4' (2,)
//   f32 1 2
//   === diagnostics
//   === plan
//
// Names begin with `fail_` exactly when there is an error. UPDATE_CORPUS=1 rewrites the last two sections; whether
// there is an error must still match the name.
#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>

#include "testing/scenario_case.hpp"
#include "testing/source_directory.hpp"

namespace slipway::scenario {
namespace {

Path corpus_directory() { return testing::source_directory() / "tests/corpus/scenario_files"; }

struct CorpusCase {
  std::string head;  // everything before the expectations
  std::string options;
  testing::CaseFiles files;
  std::string diagnostics, plan;
};

CorpusCase parse_case(const std::string& text) {
  CorpusCase parsed;
  std::string* section = nullptr;
  std::istringstream lines(text);
  bool expectations = false;
  for (std::string line; std::getline(lines, line);) {
    line += '\n';
    if (line.starts_with("=== ")) {
      const std::string name = line.substr(4, line.size() - 5);
      section = name == "diagnostics" ? &parsed.diagnostics : name == "plan" ? &parsed.plan : &parsed.files[name];
      expectations |= name == "diagnostics";
      if (!expectations) parsed.head += line;
      continue;
    }
    if (!expectations) parsed.head += line;
    if (section) {
      *section += line;
    } else {
      parsed.options += line;
    }
  }
  return parsed;
}

std::vector<std::string> case_names() {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(corpus_directory())) {
    names.push_back(entry.path().stem().string());
  }
  std::ranges::sort(names);
  return names;
}

class PlanCorpus : public ::testing::TestWithParam<std::string> {};

TEST_P(PlanCorpus, MatchesExpectedPlanAndDiagnostics) {
  const Path path = corpus_directory() / (GetParam() + ".txt");
  const CorpusCase expected = parse_case(read_text(path).value());
  testing::Case made(expected.files);
  made.plan(expected.files.at("scene.json"), {.output = expected.options.contains("(--output out)") ? "out" : "",
                                              .confine = expected.options.contains("(--confine)")});
  ASSERT_EQ(made.diagnostics().has_errors(), GetParam().starts_with("fail_")) << made.messages();
  ASSERT_EQ(made.plan().has_value(), !made.diagnostics().has_errors());
  if (std::getenv("UPDATE_CORPUS")) {
    const std::string text =
        expected.head + "=== diagnostics\n" + made.messages() + (made.plan() ? "=== plan\n" + made.plan_text() : "");
    ASSERT_TRUE(write_file(path, text));
    return;
  }
  EXPECT_EQ(made.messages(), expected.diagnostics);
  EXPECT_EQ(made.plan_text(), expected.plan);
}

INSTANTIATE_TEST_SUITE_P(Files, PlanCorpus, ::testing::ValuesIn(case_names()),
                         [](const auto& name) { return name.param; });

}  // namespace
}  // namespace slipway::scenario
