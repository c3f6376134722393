// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gtest/gtest.h>

#include <algorithm>

#include "base/format.hpp"
#include "base/system/files.hpp"
#include "cli/lab/bench.hpp"
#include "cli/lab/case_list.hpp"
#include "cli/lab/expectations.hpp"
#include "cli/lab/options.hpp"
#include "cli/lab/results/changes.hpp"
#include "cli/lab/results/result.hpp"
#include "cli/lab/results/significance.hpp"
#include "cli/lab/results/summary.hpp"
#include "json/document.hpp"

namespace slipway::cli {
namespace {

const DeviceIdentity kLavapipe{"llvmpipe (LLVM 22.1.8)", "llvmpipe Mesa 26.1.6"};

Path scratch(std::string_view name) { return Path(::testing::TempDir()) / formatted("slipway_lab_{}", name); }

CaseResult result_of(const std::string& file, CaseVerdict verdict, int status = 0) {
  CaseResult result{.run = "1",
                    .file = file,
                    .format = "scenario",
                    .verdict = verdict,
                    .exit_status = status,
                    .started = "2026-01-02T03:04:05Z",
                    .seconds = 0.5,
                    .device = kLavapipe};
  result.is_ok = status == 0;
  if (status != 0) {
    result.files = entry_of(file, {.kind = DiagnosticKind::ExpectationFailed, .message = "x <is> wrong"});
    result.text = file + ": FAILED\n";
  }
  return result;
}

TEST(LabPatterns, MatchAnyCharacters) {
  EXPECT_TRUE(matches_pattern("*", ""));
  EXPECT_TRUE(matches_pattern("a*b*c", "aXbYbZc"));
  EXPECT_TRUE(matches_pattern("a?c", "abc"));
  EXPECT_TRUE(matches_pattern("conv/*.json", "conv/deep/x.json"));
  EXPECT_FALSE(matches_pattern("a?c", "ac"));
  EXPECT_FALSE(matches_pattern("a*b", "a"));
  EXPECT_FALSE(matches_pattern("", "a"));
}

TEST(LabShards, EachCaseIsInOne) {
  std::vector<LabCase> cases;
  for (int i = 0; i < 101; ++i) cases.push_back({.file = formatted("{}.json", i)});
  std::vector<CaseResult> times;
  for (int i = 0; i < 90; ++i) {
    times.push_back({.file = formatted("{}.json", i)});
    times.back().seconds = i == 0 ? 1000 : i;
  }
  for (const auto& known : {std::vector<CaseResult>(), times}) {
    std::vector<std::string> all;
    for (std::uint32_t i = 1; i <= 7; ++i) {
      const std::vector<LabCase> shard = cases_of_shard(cases, {i, 7}, known);
      EXPECT_EQ(shard.size(), cases_of_shard(cases, {i, 7}, known).size());
      for (const LabCase& one : shard) all.push_back(one.file);
    }
    std::ranges::sort(all);
    EXPECT_EQ(all.size(), cases.size());
    EXPECT_TRUE(std::ranges::adjacent_find(all) == all.end());
  }
  // The one long case has a shard of its own.
  EXPECT_EQ(cases_of_shard(cases, {1, 7}, times).size(), 1u);
  EXPECT_EQ(cases_of_shard(cases, {1, 7}, {}).size(), 15u);
}

TEST(LabShards, AreWrittenAsTwoNumbers) {
  ASSERT_TRUE(shard_from_text("2/8"));
  EXPECT_EQ(shard_from_text("2/8")->index, 2u);
  EXPECT_EQ(shard_from_text("2/8")->count, 8u);
  for (const char* wrong : {"", "2", "0/8", "9/8", "2/", "/8", "2/8x", "-1/8"})
    EXPECT_FALSE(shard_from_text(wrong)) << wrong;
}

TEST(LabLists, NameFilesAndLists) {
  const Path inner = scratch("inner.txt"), outer = scratch("outer.txt");
  ASSERT_TRUE(write_file(inner, std::string_view("  a.json \n\n# not this\nb.vgf\r\n")));
  ASSERT_TRUE(write_file(outer, std::string_view("@" + inner.string() + "\na.json")));
  Diagnostics diagnostics;
  std::string names;
  for (const LabCase& one : list_cases({"first.json", "@" + outer.string()}, diagnostics)) names += key_of(one) + ";";
  EXPECT_EQ(names, "first.json;a.json;b.vgf;a.json #2;");
  EXPECT_FALSE(diagnostics.has_errors());
  ASSERT_TRUE(write_file(inner, std::string_view("@" + inner.string())));
  list_cases({"@" + inner.string()}, diagnostics);
  ASSERT_EQ(diagnostics.errors(), 1u);
  EXPECT_EQ(diagnostics.all()[0].message, "lists name each other more than 16 deep");
}

TEST(LabResults, AreReadAgain) {
  const Path path = scratch("results.jsonl");
  std::string text = run_line({.id = "1",
                               .version = "2.0",
                               .started = "now",
                               .host = "h",
                               .directory = "/",
                               .command = {"slipway", "run", "a"},
                               .shard = "1/2"}) +
                     "\n";
  CaseResult bad = result_of("a.json", CaseVerdict::Failed, 1);
  bad.copy = 2;
  bad.attempts = 3;
  bad.expected = "fail";
  bad.reason = "\"quoted\"";
  bad.samples = {{.name = "fast", .seconds = {0.25, 1e-6}}, {.name = "", .seconds = {3}}};
  bad.state = DeviceState{.clock_mhz = 1980, .temperature_c = 54.5};
  text += case_line(result_of("a.json", CaseVerdict::Crashed, 5)) + "\n" + case_line(bad) + "\n";
  text += case_line(result_of("a.json", CaseVerdict::Passed)) + "\n" +
          case_line(result_of("b.json", CaseVerdict::Passed)).substr(0, 40);
  ASSERT_TRUE(write_file(path, text));
  Diagnostics diagnostics;
  const auto results = read_results(path.string(), diagnostics);
  ASSERT_TRUE(results);
  ASSERT_EQ(results->runs.size(), 1u);
  EXPECT_EQ(results->runs[0].shard, "1/2");
  ASSERT_EQ(results->cases.size(), 2u);  // the last line of a case counts
  EXPECT_EQ(results->cases[0].verdict, CaseVerdict::Passed);
  EXPECT_EQ(case_line(results->cases[1]), case_line(bad));
  EXPECT_EQ(results->cases[1].samples, bad.samples);
  EXPECT_EQ(device_state_text(results->cases[1].state.value()), "1980 MHz, 54 C");
  ASSERT_EQ(diagnostics.all().size(), 1u);
  EXPECT_EQ(diagnostics.all()[0].message, "line 5 is incomplete and is left out");
}

// Blocks that were not on the disk when the power failed read as zeros.
TEST(LabResults, LinesWithZerosAreLeftOut) {
  std::string lost = case_line(result_of("lost.json", CaseVerdict::Passed));
  std::fill(lost.begin() + 10, lost.end(), '\0');
  const std::string text = case_line(result_of("a.json", CaseVerdict::Passed)) + "\n" + lost + "\n" +
                           case_line(result_of("b.json", CaseVerdict::Passed)) + "\n";
  Diagnostics diagnostics;
  const auto results = parse_results(text, "r.jsonl", diagnostics);
  ASSERT_TRUE(results);
  ASSERT_EQ(results->cases.size(), 2u);
  EXPECT_EQ(results->cases[1].file, "b.json");
  ASSERT_EQ(diagnostics.all().size(), 1u);
  EXPECT_EQ(diagnostics.all()[0].message, "line 2 has zeros, as after a power failure, and is left out");
}

TEST(LabResults, HaveValidText) {
  EXPECT_EQ(valid_utf8("a\u00e9\u20ac\U0001f600"), "a\u00e9\u20ac\U0001f600");
  EXPECT_EQ(valid_utf8("\xff|\xc3|\xe2\x82|\xed\xa0\x80|\xc0\xaf"),
            "\ufffd|\ufffd|\ufffd\ufffd|\ufffd\ufffd\ufffd|\ufffd\ufffd");
  CaseResult result = result_of("a.json", CaseVerdict::Failed, 1);
  result.text = "driver: \xff\n";
  Diagnostics diagnostics;
  const auto results = parse_results(case_line(result) + "\n", "results", diagnostics);
  ASSERT_TRUE(results);
  EXPECT_EQ(results->cases.at(0).text, "driver: \ufffd\n");
}

TEST(LabResults, FilesGrowByWholeLines) {
  const Path path = scratch("lines.jsonl");
  ASSERT_TRUE(write_file(path, std::string_view("one\ntwo")));
  {
    auto file = LineFile::open(path, false);
    ASSERT_TRUE(file);
    ASSERT_TRUE(file->write("three"));
  }
  EXPECT_EQ(read_text(path), "one\nthree\n");
  ASSERT_TRUE(LineFile::open(path, true));
  EXPECT_EQ(read_text(path), "");
}

std::optional<Expectations> expectations_of(std::string_view text, Diagnostics& diagnostics) {
  const Path path = scratch("expected.txt");
  if (!write_file(path, text)) return std::nullopt;
  return Expectations::read(path.string(), diagnostics);
}

constexpr std::string_view kExpected = R"--(# known
fail   conv/*.json           # rounding
crash  big.json  device="llvmpipe (LLVM*" driver=*26.1*
skip   big.json

flaky  timing.json
fail   gone.json  # old
)--";

TEST(LabExpectations, TheFirstLineThatAppliesCounts) {
  Diagnostics diagnostics;
  const auto expectations = expectations_of(kExpected, diagnostics);
  ASSERT_TRUE(expectations);
  const auto expected = [&](std::string_view file, const DeviceIdentity& device) {
    const CaseExpectation* const line = expectations->find(file, device);
    return line ? formatted("{} {}", name_of(line->expected), line->reason) : "nothing";
  };
  EXPECT_EQ(expected("/tests/conv/a.json", kLavapipe), "fail rounding");
  EXPECT_EQ(expected("big.json", kLavapipe), "crash ");
  EXPECT_EQ(expected("big.json", {"another", "26.1"}), "skip ");
  EXPECT_EQ(expected("very_big.json", kLavapipe), "nothing");
  EXPECT_EQ(expected("timing.json", {}), "flaky ");
}

TEST(LabExpectations, AnUnexpectedPassFails) {
  Diagnostics diagnostics;
  const auto expectations = expectations_of(kExpected, diagnostics);
  ASSERT_TRUE(expectations);
  const auto apply = [&](CaseResult result) {
    const auto unexpected = apply_expectation(*expectations->find(result.file, result.device), result);
    return formatted("{} {} {}", result.is_ok, result.final_status(), unexpected ? unexpected->message : "");
  };
  EXPECT_EQ(apply(result_of("conv/a.json", CaseVerdict::Failed, 1)), "true 0 ");
  EXPECT_EQ(apply(result_of("conv/a.json", CaseVerdict::Error, 3)), "true 0 ");
  EXPECT_EQ(apply(result_of("conv/a.json", CaseVerdict::Skipped, 4)), "true 0 ");
  EXPECT_EQ(apply(result_of("conv/a.json", CaseVerdict::Passed)), "false 1 the case passes, but `fail` is expected");
  EXPECT_EQ(apply(result_of("conv/a.json", CaseVerdict::Crashed, 5)),
            "false 5 the verdict is `crashed`, but `fail` is expected");
  EXPECT_EQ(apply(result_of("big.json", CaseVerdict::Crashed, 5)), "true 0 ");
  EXPECT_EQ(apply(result_of("timing.json", CaseVerdict::Passed)), "true 0 ");
  EXPECT_EQ(apply(result_of("timing.json", CaseVerdict::Failed, 1)), "false 1 ");
}

// A file with lines `unsupported` lists all that the device cannot run.
TEST(LabExpectations, UnsupportedCasesAreListed) {
  Diagnostics diagnostics;
  const auto expectations = expectations_of("unsupported f16/*  # no 16-bit floats\n", diagnostics);
  ASSERT_TRUE(expectations);
  const auto apply = [&](CaseResult result) {
    const CaseExpectation* const line = expectations->find(result.file, result.device);
    const auto unexpected = line ? apply_expectation(*line, result) : expectations->unlisted(result);
    return formatted("{} {} {}", result.is_ok, result.final_status(), unexpected ? unexpected->message : "");
  };
  EXPECT_EQ(apply(result_of("f16/a", CaseVerdict::Skipped, 4)), "true 0 ");
  EXPECT_EQ(apply(result_of("f16/a", CaseVerdict::Passed)), "false 1 the case passes, but `unsupported` is expected");
  EXPECT_EQ(apply(result_of("f16/a", CaseVerdict::Failed, 1)),
            "false 1 the verdict is `failed`, but `unsupported` is expected");
  EXPECT_EQ(apply(result_of("f32/a", CaseVerdict::Skipped, 4)),
            "false 4 the device cannot run the case, and no line expects it");
  const auto others = expectations_of(kExpected, diagnostics);
  ASSERT_TRUE(others);
  CaseResult skipped = result_of("f32/a", CaseVerdict::Skipped, 4);
  EXPECT_FALSE(others->unlisted(skipped));
  std::vector<std::string> changes;
  EXPECT_EQ(
      update_expectations(*expectations, std::vector{skipped, result_of("f32/b", CaseVerdict::Passed)}, false, changes),
      "unsupported f16/*  # no 16-bit floats\nunsupported f32/a\n");
}

TEST(LabExpectations, MistakesAreLocated) {
  Diagnostics diagnostics;
  EXPECT_FALSE(expectations_of("fial a\nfail\nfail a b\nfail \"a\n", diagnostics));
  std::string messages;
  for (const Diagnostic& one : diagnostics.all())
    messages += formatted("{}:{}: {}\n", one.location.source->position(one.location.span.begin).line,
                          one.location.source->position(one.location.span.begin).column, one.message);
  EXPECT_EQ(
      messages,
      "1:1: unknown verdict `fial`; accepted are `fail`, `crash`, `hang`, `flaky`, `skip`, `unsupported`; did you mean "
      "`fail`?\n"
      "2:1: `fail` needs a file or a pattern of files\n"
      "3:8: unknown condition `b`; accepted are `device=PATTERN`, `driver=PATTERN`; a reason follows `#`\n"
      "4:1: a quote is not closed on this line\n");
}

TEST(LabExpectations, AreUpdated) {
  Diagnostics diagnostics;
  const auto expectations = expectations_of(kExpected, diagnostics);
  ASSERT_TRUE(expectations);
  const std::vector<CaseResult> results = {
      result_of("conv/a.json", CaseVerdict::Passed),      result_of("gone.json", CaseVerdict::Passed),
      result_of("big.json", CaseVerdict::TimedOut, 5),    result_of("timing.json", CaseVerdict::Failed, 1),
      result_of("new case.json", CaseVerdict::Failed, 1), result_of("fine.json", CaseVerdict::Passed),
      result_of("case?.json", CaseVerdict::Failed, 1)};
  std::vector<std::string> changes;
  EXPECT_EQ(update_expectations(*expectations, results, true, changes), R"--(# known
fail   conv/*.json           # rounding
hang  big.json  device="llvmpipe (LLVM*" driver=*26.1*
skip   big.json

flaky  timing.json
fail "new case.json" device="llvmpipe (LLVM 22.1.8)"
)--");
  const std::vector<std::string> expected = {
      "not changed: line 2, whose pattern `conv/*.json` matches conv/a.json, which passes", "removed: fail gone.json",
      "changed: hang big.json", "added: fail new case.json",
      "not added: fail case?.json, whose name cannot be written as a pattern"};
  EXPECT_EQ(changes, expected);
}

TEST(LabSummary, CountsVerdicts) {
  std::vector<CaseResult> cases = {
      result_of("a.json", CaseVerdict::Passed), result_of("b.json", CaseVerdict::Failed, 1),
      result_of("c.json", CaseVerdict::Failed, 1), result_of("d.json", CaseVerdict::Passed)};
  cases[1].expected = "fail";
  cases[1].is_ok = true;
  cases[3].attempts = 2;
  EXPECT_EQ(print_summary(cases, true),
            "4 cases: 2 passed, 2 failed (1 expected)\n  failed: c.json\n  flaky: d.json, passed in attempt 2\n");
}

TEST(LabSummary, JUnit) {
  LabResults results{.runs = {{.id = "1",
                               .version = "2.0",
                               .started = "2026-01-02T03:04:05Z",
                               .host = "h",
                               .directory = "/",
                               .command = {"slipway", "run", "a"},
                               .shard = {}}},
                     .cases = {result_of("a.json", CaseVerdict::Passed), result_of("b.json", CaseVerdict::Failed, 1),
                               result_of("c.json", CaseVerdict::Crashed, 5)}};
  results.cases[2].expected = "crash";
  results.cases[2].reason = "driver";
  results.cases[2].is_ok = true;
  EXPECT_EQ(write_lab_junit(results), R"--(<?xml version="1.0" encoding="UTF-8"?>
<testsuites tests="3" failures="1" errors="0" skipped="1" time="1.500000">
  <testsuite name="slipway" tests="3" failures="1" errors="0" skipped="1" time="1.500000" timestamp="2026-01-02T03:04:05" hostname="h">
    <properties>
      <property name="slipway" value="2.0"/>
      <property name="command" value="slipway run a"/>
      <property name="device" value="llvmpipe (LLVM 22.1.8)"/>
      <property name="driver" value="llvmpipe Mesa 26.1.6"/>
    </properties>
    <testcase name="a.json" classname="slipway.scenario" file="a.json" time="0.500000"/>
    <testcase name="b.json" classname="slipway.scenario" file="b.json" time="0.500000">
      <failure message="x &lt;is&gt; wrong" type="failed">b.json: FAILED
</failure>
      <system-out>b.json: FAILED
</system-out>
    </testcase>
    <testcase name="c.json" classname="slipway.scenario" file="c.json" time="0.500000">
      <skipped message="expected: crash, driver"/>
      <system-out>c.json: FAILED
</system-out>
    </testcase>
  </testsuite>
</testsuites>
)--");
}

TEST(LabStatistics, RankTest) {
  const std::vector<double> low = {1, 2, 3, 4, 5}, high = {6, 7, 8, 9, 10}, mixed = {1.5, 2.5, 3.5, 4.5, 5.5};
  EXPECT_NEAR(rank_test(low, high), 2.0 / 252, 1e-12);  // 252 arrangements of 5 and 5
  EXPECT_NEAR(rank_test(high, low), 2.0 / 252, 1e-12);
  EXPECT_GT(rank_test(low, mixed), 0.5);
  EXPECT_EQ(rank_test(low, {}), 1);
  const std::vector<double> equal(30, 1.0);
  EXPECT_EQ(rank_test(equal, equal), 1);
  // Exact and approximate values are close for 20 and 21 values.
  std::vector<double> a, b;
  for (int i = 0; i < 20; ++i) {
    a.push_back(i);
    b.push_back(i + 5.5);
  }
  const double of_20 = rank_test(a, b);
  a.push_back(20);
  b.push_back(25.5);
  EXPECT_NEAR(rank_test(a, b), of_20, 0.004);
  EXPECT_LT(of_20, 0.02);
}

TEST(LabStatistics, Quartiles) {
  const Quartiles quartiles = quartiles_of({4, 1, 3, 2});
  EXPECT_EQ(quartiles.lower, 1.75);
  EXPECT_EQ(quartiles.median, 2.5);
  EXPECT_EQ(quartiles.upper, 3.25);
  EXPECT_EQ(quartiles_of({7}).upper, 7);
}

LabResults results_with(const std::string& name, std::initializer_list<double> seconds) {
  std::string text;
  for (const double each : seconds) {
    CaseResult result = result_of(name, CaseVerdict::Passed);
    result.seconds = each;
    text += case_line(result) + "\n";
  }
  Diagnostics diagnostics;
  return parse_results(text, "results", diagnostics).value();
}

TEST(LabChanges, TimesAreComparedByTheirRanks) {
  const LabResults before = results_with("a.json", {0.010, 0.0101, 0.0102, 0.0103, 0.0104});
  const LabResults slower = results_with("a.json", {0.0110, 0.0111, 0.0112, 0.0113, 0.0114});
  const std::vector<CaseChange> changes = changes_of(slower, before);
  ASSERT_EQ(changes.size(), 1U);
  EXPECT_EQ(changes[0].change, ResultChange::Slower);
  EXPECT_EQ(changes[0].before, "10.2 ms (10.1 ms to 10.3 ms)");
  EXPECT_NEAR(changes[0].time->factor, 0.0112 / 0.0102, 1e-12);
  EXPECT_LT(*changes[0].time->chance, 0.01);
  EXPECT_EQ(changes_of(before, slower).front().change, ResultChange::Faster);
  EXPECT_TRUE(changes_of(slower, before, {.least = 0.15}).empty());
  // Overlapping times are noise, and four times are too few.
  EXPECT_TRUE(changes_of(results_with("a.json", {0.0105, 0.0099, 0.0111, 0.0101, 0.0107}), before).empty());
  EXPECT_FALSE(lacks_samples(slower, before).samples);
  const LabResults few = results_with("a.json", {0.0110, 0.0111, 0.0112, 0.0113});
  EXPECT_TRUE(changes_of(few, before).empty());
  EXPECT_TRUE(lacks_samples(few, before).samples);
  const LabResults much = results_with("a.json", {0.0500});
  ASSERT_EQ(changes_of(much, before).size(), 1U);
  EXPECT_FALSE(changes_of(much, before)[0].time->chance);
}

LabResults results_with_samples(const std::vector<CaseSamples>& samples, double seconds) {
  CaseResult result = result_of("a.json", CaseVerdict::Ran);
  result.seconds = seconds;
  result.samples = samples;
  Diagnostics diagnostics;
  return parse_results(case_line(result) + "\n", "results", diagnostics).value();
}

TEST(LabChanges, SamplesOfOneRunAreEnough) {
  const std::vector<double> fast = {0.010, 0.0101, 0.0102, 0.0103, 0.0104};
  const std::vector<double> slow = {0.0110, 0.0111, 0.0112, 0.0113, 0.0114};
  // The times of the whole cases are very different, but samples are better.
  const LabResults before = results_with_samples({{"", fast}, {"deep", slow}}, 9);
  const LabResults now = results_with_samples({{"", slow}, {"deep", slow}}, 1);
  const std::vector<CaseChange> changes = changes_of(now, before);
  ASSERT_EQ(changes.size(), 1U);
  EXPECT_EQ(changes[0].change, ResultChange::Slower);
  EXPECT_EQ(changes[0].key, "a.json");
  EXPECT_LT(*changes[0].time->chance, 0.01);
  EXPECT_FALSE(lacks_samples(now, before).samples);
  const std::vector<CaseChange> deep = changes_of(results_with_samples({{"", fast}, {"deep", fast}}, 1), before);
  ASSERT_EQ(deep.size(), 1U);
  EXPECT_EQ(deep[0].key, "a.json (deep)");
  EXPECT_EQ(deep[0].change, ResultChange::Faster);
  // Samples are not compared with whole cases.
  const std::vector<CaseChange> whole = changes_of(results_with_samples({}, 1), before);
  ASSERT_EQ(whole.size(), 1U);
  EXPECT_EQ(whole[0].before, "9 s");
  EXPECT_TRUE(lacks_samples(results_with_samples({}, 1), before).samples);
  // Each file is a round.
  LabResults merged = before;
  merge_results(merged, now);
  EXPECT_EQ((merged.samples.at({"a.json", ""})), (Rounds{fast, slow}));
}

// A round for each median: runs around it that differ by `spread`.
LabResults results_with_rounds(const std::vector<double>& medians, double spread = 0.0001) {
  std::string text;
  for (std::size_t i = 0; i < medians.size(); ++i) {
    CaseResult result = result_of("a.json", CaseVerdict::Ran);
    result.round = static_cast<std::uint32_t>(i + 1);
    CaseSamples& list = result.samples.emplace_back();
    for (int run = -10; run <= 10; ++run) list.seconds.push_back(medians[i] + run * spread / 10 + 1e-9 * run * run);
    text += case_line(result) + "\n";
  }
  Diagnostics diagnostics;
  return parse_results(text, "results", diagnostics).value();
}

// The machine was slower in some rounds: all runs of such a round are, so that 105 runs seem to prove a difference.
TEST(LabChanges, RoundsAreComparedByTheirMedians) {
  const LabResults before = results_with_rounds({0.0100, 0.0103, 0.0110, 0.0101, 0.0104});
  const LabResults same = results_with_rounds({0.0112, 0.0102, 0.0109, 0.0107, 0.0106});
  EXPECT_EQ(same.cases.at(0).round, 5U);
  EXPECT_TRUE(changes_of(same, before).empty());
  // The same runs without their rounds differ "significantly".
  const auto without_rounds = [](LabResults results) {
    Rounds& rounds = results.samples.begin()->second;
    for (std::size_t i = 1; i < rounds.size(); ++i) rounds[0].append_range(rounds[i]);
    rounds.resize(1);
    return results;
  };
  EXPECT_EQ(changes_of(without_rounds(same), without_rounds(before)).size(), 1U);

  const LabResults slower = results_with_rounds({0.0121, 0.0115, 0.0113, 0.0117, 0.0114});
  const std::vector<CaseChange> changes = changes_of(slower, before);
  ASSERT_EQ(changes.size(), 1U);
  EXPECT_EQ(changes[0].change, ResultChange::Slower);
  EXPECT_EQ(changes[0].before, "10.3 ms (10.1 ms to 10.4 ms)");
  EXPECT_EQ(changes[0].now, "11.5 ms (11.4 ms to 11.7 ms)");
  EXPECT_NEAR(*changes[0].time->chance, 2.0 / 252, 1e-9);
  EXPECT_TRUE(changes[0].time->of_rounds);
  EXPECT_FALSE(lacks_samples(slower, before).rounds);
}

TEST(LabChanges, FewRoundsMustDifferByMoreThanTheirSpread) {
  const LabResults before = results_with_rounds({0.0100, 0.0104, 0.0102});
  EXPECT_TRUE(changes_of(results_with_rounds({0.0107, 0.0108, 0.0104}), before).empty());
  const std::vector<CaseChange> slower = changes_of(results_with_rounds({0.0115, 0.0113, 0.0114}), before);
  ASSERT_EQ(slower.size(), 1U);
  EXPECT_EQ(slower[0].now, "11.4 ms (11.3 ms to 11.4 ms)");
  EXPECT_FALSE(slower[0].time->chance);
  EXPECT_EQ(changes_of(before, results_with_rounds({0.0115, 0.0113, 0.0114})).front().change, ResultChange::Faster);
  const Lacks lacks = lacks_samples(before, before);
  EXPECT_TRUE(lacks.rounds);
  EXPECT_FALSE(lacks.samples);
  // One round on a side: single runs are compared.
  const std::vector<CaseChange> one = changes_of(results_with_rounds({0.0108}), before);
  ASSERT_EQ(one.size(), 1U);
  EXPECT_FALSE(one[0].time->of_rounds);
}

LabResults results_of(std::vector<CaseResult> cases) {
  LabResults results;
  for (const CaseResult& result : cases) results.add_times(result);
  results.cases = std::move(cases);
  return results;
}

TEST(LabBench, TheTableHasPercentilesAndSpread) {
  CaseResult first = result_of("a.json", CaseVerdict::Ran);
  first.samples = {{"", {0.004, 0.001, 0.002, 0.003, 0.005}}};
  CaseResult second = result_of("b, c.json", CaseVerdict::Passed);
  second.samples = {{"latency", {2e-5, 2e-5}}, {"throughput", {1.5, 1.5}}};
  CaseResult third = result_of("none.json", CaseVerdict::Ran);
  EXPECT_EQ(bench_table(results_of({first, second, third})),
            "case                    runs  median    p95    p99  minimum  spread\n"
            "a.json                     5    3 ms   5 ms   5 ms     1 ms  66.7 %\n"
            "b, c.json (latency)        2   20 us  20 us  20 us    20 us   0.0 %\n"
            "b, c.json (throughput)     2   1.5 s  1.5 s  1.5 s    1.5 s   0.0 %\n"
            "none.json: ran, but has no times of single runs\n"
            "on llvmpipe (LLVM 22.1.8)\n");
  first.state = DeviceState{.clock_mhz = 1980};
  first.files = R"([{"file":"a.json","device":"this CPU"}])";
  EXPECT_EQ(bench_table(results_of({first, second})),
            "case                    runs  median    p95    p99  minimum  spread  clock, temperature  device\n"
            "a.json                     5    3 ms   5 ms   5 ms     1 ms  66.7 %  1980 MHz            this CPU\n"
            "b, c.json (latency)        2   20 us  20 us  20 us    20 us   0.0 %                      llvmpipe (LLVM "
            "22.1.8)\n"
            "b, c.json (throughput)     2   1.5 s  1.5 s  1.5 s    1.5 s   0.0 %                      llvmpipe (LLVM "
            "22.1.8)\n");
  EXPECT_EQ(bench_table({}), "");
  EXPECT_EQ(bench_csv(results_of({second})),
            "file,name,device,round,run,milliseconds\n"
            "\"b, c.json\",latency,llvmpipe (LLVM 22.1.8),1,1,0.02\n"
            "\"b, c.json\",latency,llvmpipe (LLVM 22.1.8),1,2,0.02\n"
            "\"b, c.json\",throughput,llvmpipe (LLVM 22.1.8),1,1,1500\n"
            "\"b, c.json\",throughput,llvmpipe (LLVM 22.1.8),1,2,1500\n");
}

TEST(LabBench, TheTableHasRounds) {
  CaseResult first = result_of("a.json", CaseVerdict::Ran), second = first;
  first.samples = {{"", {0.001, 0.002, 0.003}}};
  second.samples = {{"", {0.004, 0.004, 0.004}}};
  LabResults results = results_of({first});
  results.add_times(second);
  EXPECT_EQ(bench_table(results),
            "case    runs  median   p95   p99  minimum  spread  rounds  spread of rounds\n"
            "a.json     6    3 ms  4 ms  4 ms     1 ms  58.3 %       2            66.7 %\n"
            "on llvmpipe (LLVM 22.1.8)\n");
  EXPECT_EQ(bench_csv(results),
            "file,name,device,round,run,milliseconds\n"
            "a.json,,llvmpipe (LLVM 22.1.8),1,1,1\n"
            "a.json,,llvmpipe (LLVM 22.1.8),1,2,2\n"
            "a.json,,llvmpipe (LLVM 22.1.8),1,3,3\n"
            "a.json,,llvmpipe (LLVM 22.1.8),2,1,4\n"
            "a.json,,llvmpipe (LLVM 22.1.8),2,2,4\n"
            "a.json,,llvmpipe (LLVM 22.1.8),2,3,4\n");
}

TEST(LabSummary, Sarif) {
  const std::string file = scratch("a.json").string();
  ASSERT_TRUE(write_file(file, std::string_view("{\n \"\xc3\xa4\": 1\n}\n")));
  const SourcePtr source = make_source(file, "{\n \"\xc3\xa4\": 1\n}\n");
  Diagnostics diagnostics;
  diagnostics.error(DiagnosticKind::UnknownKey, SourceLocation::in_text(source, {9, 10}), "after an umlaut")
      .note("a range of bytes", SourceLocation::in_bytes("b.bin", {4, 8}));
  LabResults results;
  for (const std::string& name : {file, std::string("gone.json")}) {
    CaseResult& result = results.cases.emplace_back(result_of(name, CaseVerdict::Error, 3));
    result.files = entry_of(name, diagnostics.all()[0]);
    if (name != file) {
      for (std::size_t at; (at = result.files.find(file)) != std::string::npos;)
        result.files.replace(at, file.size(), name);
    }
  }
  const auto document = json::parse(make_source("sarif", write_lab_sarif(results, "1.2.3")));
  ASSERT_TRUE(document);
  const json::Value run = (*document)->root()["runs"][0];
  EXPECT_EQ(run["tool"]["driver"]["rules"][0]["id"].string(), "unknown-key");
  ASSERT_EQ(run["results"].size(), 2);
  const json::Value region = run["results"][0]["locations"][0]["physicalLocation"]["region"];
  EXPECT_EQ(region["startLine"].integer(), 2);
  EXPECT_EQ(region["startColumn"].integer(), 7);
  EXPECT_EQ(run["results"][0]["relatedLocations"][0]["physicalLocation"]["region"]["byteOffset"].integer(), 4);
  const json::Value gone = run["results"][1]["locations"][0]["physicalLocation"];
  EXPECT_EQ(gone["artifactLocation"]["uri"].string(), "gone.json");
  EXPECT_EQ(gone["region"]["startLine"].integer(), 2);
  EXPECT_FALSE(gone["region"]["startColumn"]);
}

TEST(LabOptions, AreDivided) {
  const DividedArguments divided =
      divide_arguments({"a.json", "--results", "r.jsonl", "--timeout", "3", "--disable-extension", "VK_A", "VK_B",
                        "--trace={case}.json", "-q", "--scenario", "b.json"});
  const std::vector<std::string> own = {"a.json", "--results", "r.jsonl", "--timeout", "3", "-q", "b.json"};
  const std::vector<std::string> workers = {
      "--timeout", "3", "--disable-extension", "VK_A", "--disable-extension=VK_B", "--trace={case}.json", "-q"};
  EXPECT_EQ(divided.own, own);
  EXPECT_EQ(divided.workers, workers);
  const std::vector<std::string> scenario = {
      "--timeout", "3",       "--disable-extension", "VK_A", "--disable-extension=VK_B", "--trace=d_a.json.json", "-q",
      "--",        "d/a.json"};
  EXPECT_EQ(words_for("scenario", workers, "d/a.json"), scenario);
  // A flag of models, which takes a value in recipes.
  EXPECT_EQ(words_for("vgf", {"--profile", "--device", "cpu"}, "a.vgf"),
            (std::vector<std::string>{"--profile", "--device", "cpu", "--", "a.vgf"}));
  EXPECT_EQ(words_for("recipe", {"--profile", "{directory}/{stem}.{stem}.json"}, "d/a.json")[1], "d/a.a.json");
  EXPECT_EQ(words_for("recipe", {"--profile={directory}"}, "a.json")[0], "--profile=.");
  const std::vector<std::string> recipe = {"--timeout", "3", "-q", "--", "r.json"};
  EXPECT_EQ(words_for("recipe", workers, "r.json"), recipe);
}

// `--profile` is a flag of models, and has a value in recipes.
TEST(LabOptions, InputsAreNotValuesOfFlags) {
  const std::string model = scratch("model.graph").string(), profile = scratch("profile.json").string();
  ASSERT_TRUE(write_file(model, "graph g {\n  %0 = input i32[1]\n  %1 = ABS(%0) i32[1]\n  output %1\n}\n"));
  ASSERT_TRUE(write_file(profile, R"({"version":"1.0","bindings":[]})"));
  EXPECT_EQ(divide_arguments({"--profile", model, "b.vgf"}).own, (std::vector<std::string>{model, "b.vgf"}));
  EXPECT_EQ(divide_arguments({"--profile", model, "b.vgf"}).workers, std::vector<std::string>{"--profile"});
  EXPECT_TRUE(is_lab({.words = {"--profile", model, "b.vgf"}}));
  EXPECT_TRUE(is_lab({.words = {"--profile", ::testing::TempDir(), "b.vgf"}}));
  EXPECT_FALSE(is_lab({.words = {"--profile", profile, "recipe.json"}}));
  EXPECT_EQ(divide_arguments({"--profile", profile, "r.json", "b.vgf"}).own,
            (std::vector<std::string>{"r.json", "b.vgf"}));
  EXPECT_EQ(divide_arguments({"--profile=" + model, "r.json"}).own, std::vector<std::string>{"r.json"});
  // Each format gets the option in its own form only.
  EXPECT_EQ(words_for("graph", {"--profile", "p.json", "--emulate=never"}, "a"),
            (std::vector<std::string>{"--emulate=never", "--", "a"}));
  EXPECT_EQ(words_for("graph", {"--profile=p.json", "--emulate"}, "a"),
            (std::vector<std::string>{"--emulate", "--", "a"}));
  EXPECT_EQ(words_for("graph", {"--profile", "--fill", "ramp"}, "a")[0], "--profile");
  EXPECT_EQ(words_for("recipe", {"--profile", "--timeout", "3"}, "a"),
            (std::vector<std::string>{"--timeout", "3", "--", "a"}));
}

// The format reports an option without its value.
TEST(LabOptions, ValuesMayBeMissing) {
  EXPECT_EQ(words_for("graph", {"--fill"}, "a"), (std::vector<std::string>{"--fill", "--", "a"}));
}

TEST(LabOptions, OfBenchmarks) {
  const DividedArguments divided = divide_arguments(
      {"a.json", "--repeat", "5", "--warmup=1", "--rounds", "2", "--csv", "t.csv", "--fill", "ramp", "--timeout", "3"},
      true);
  EXPECT_EQ(divided.own, (std::vector<std::string>{"a.json", "--repeat", "5", "--warmup=1", "--rounds", "2", "--csv",
                                                   "t.csv", "--timeout", "3"}));
  EXPECT_EQ(divided.workers, (std::vector<std::string>{"--fill", "ramp", "--timeout", "3"}));
  const std::vector<std::string> words = words_of_bench({.warmup = 1, .repeat = 5});
  EXPECT_EQ(words_for("vgf", words, "a"), (std::vector<std::string>{"--warmup=1", "--repeat=5", "--", "a"}));
  EXPECT_EQ(words_for("scenario", words, "a"), (std::vector<std::string>{"--warmup=1", "--repeat=5", "--", "a"}));
  EXPECT_EQ(words_for("recipe", words, "a"), (std::vector<std::string>{"--iterations=6", "--", "a"}));
}

TEST(LabOptions, OfNoFormatAreErrors) {
  Diagnostics diagnostics;
  check_worker_options({"--compare", "reference", "--trace", "t.json", "--timeout", "3"}, {"scenario", "scenario"},
                       diagnostics);
  std::string messages;
  for (const Diagnostic& one : diagnostics.all()) messages += one.message + "\n";
  EXPECT_EQ(
      messages,
      "`--compare` applies to no file of this run; it is for executorch, graph, mlir, onnx, tflite, tosa, vgf\n"
      "`--trace` names one output of 2 cases, which would overwrite each other; write `{case}` in the name, which "
      "becomes the name of the case, or `{stem}`, the name of its file without directory and suffix\n");
  Diagnostics models;
  check_worker_options({"--output", "out"}, {"vgf", "scenario", "graph"}, models);
  EXPECT_EQ(models.errors(), 1u);
  check_worker_options({"--dump-on-failure", "out"}, {"scenario", "scenario"}, models);
  EXPECT_EQ(models.errors(), 2u);
  Diagnostics none;
  check_worker_options({"--output", "out/{stem}"}, {"vgf", "graph"}, none);
  check_worker_options({"--output", "out"}, {"scenario", "scenario"}, none);
  check_worker_options({"--trace", "{case}.json"}, {"scenario", "scenario"}, none);
  EXPECT_TRUE(none.empty());
}

TEST(LabOptions, TwoCasesHaveTwoOutputs) {
  const auto message = [](const std::vector<std::string>& words, const std::vector<std::string>& files) {
    std::vector<NamedCase> cases;
    for (const std::string& file : files) cases.push_back({.file = file, .format = "scenario"});
    Diagnostics diagnostics;
    check_output_names(words, cases, diagnostics);
    return diagnostics.all().empty() ? std::string() : diagnostics.all().front().message;
  };
  EXPECT_EQ(
      message({"--trace", "t/{case}.json"}, {"a/b.json", "c.json", "a_b.json"}),
      "`--trace t/{case}.json` is t/a_b.json.json for `a/b.json` and for `a_b.json`, which would overwrite each other; "
      "rename one of the files, or run them separately");
  EXPECT_EQ(message({"--csv=t/{stem}.csv"}, {"s1/c.json", "s2/c.json"}),
            "`--csv=t/{stem}.csv` is t/c.csv for `s1/c.json` and for `s2/c.json`, which would overwrite each other; "
            "rename one of the files, or run them separately");
  EXPECT_NE(message({"--trace", "{case}"}, {"a.json", "a.json"}), "");
  EXPECT_EQ(message({"--trace", "{directory}/{stem}"}, {"s1/c.json", "s2/c.json"}), "");
  EXPECT_EQ(message({"--trace", "{case}"}, {"s1/c.json", "s2/c.json"}), "");
  EXPECT_EQ(message({"--output", "{stem}"}, {"s1/c.json", "s2/c.json"}), "");  // scenarios name their outputs
}

TEST(LabOptions, DecideWhatRunsManyFiles) {
  EXPECT_TRUE(is_lab({.words = {"a.json", "b.json"}}));
  EXPECT_TRUE(is_lab({.words = {"@list"}}));
  EXPECT_TRUE(is_lab({.words = {"a.json", "--results", "r.jsonl"}}));
  EXPECT_TRUE(is_lab({.words = {"a.json", "--junit=j.xml"}}));
  const Path directory = scratch("directory");
  ASSERT_TRUE(make_directories(directory));
  EXPECT_TRUE(is_lab({.words = {directory.string()}}));
  EXPECT_FALSE(is_lab({.words = {"a.json", "--timeout", "3", "--trace", "t.json"}}));
  EXPECT_FALSE(is_lab({.words = {"--disable-extension", "VK_A", "VK_B", "a.json"}}));
  EXPECT_FALSE(is_lab({.words = {"a.json", "b.json", "--explain"}}));
  EXPECT_FALSE(is_lab({.words = {"--repaet", "3", "a.json"}}));
}

}  // namespace
}  // namespace slipway::cli
