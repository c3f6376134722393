// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cli/run/run_report.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "json/document.hpp"
#include "model/standalone/compare_layers.hpp"

namespace slipway::cli {
namespace {

RunReportEntry entry(DiagnosticKind kind) {
  return {.outcome = {.file = "a.json", .diagnostics = {{.kind = kind, .message = "x"}}, .report = {}},
          .job = {},
          .recipe = {}};
}

TEST(RunReport, HasTheWorstStatusOfItsFiles) {
  const std::vector<RunReportEntry> entries = {
      entry(DiagnosticKind::DeviceLacks), entry(DiagnosticKind::ExpectationFailed), entry(DiagnosticKind::JsonSyntax)};
  const auto report = json::parse(make_source("report.json", write_run_report(entries, {.real = 0.5})));
  ASSERT_TRUE(report);
  const json::Value root = (*report)->root();
  EXPECT_EQ(root["exit_status"].integer(), 3);
  ASSERT_EQ(root["files"].size(), 3u);
  EXPECT_EQ(root["files"][0]["status"].string(), "skipped");
  EXPECT_EQ(root["files"][1]["status"].string(), "failed");
  EXPECT_EQ(root["files"][2]["status"].string(), "error");
  EXPECT_EQ(root["system"]["real"].number(), 0.5);
  EXPECT_EQ(root["slipway"]["report_schema"].integer(), 2);
}

TEST(RunReport, HasTheCommandAndTheDate) {
  note_command({"slipway", "run", "a.json", "--seed", "3"});
  const auto report = json::parse(make_source("report.json", write_run_report(std::vector<RunReportEntry>(), {})));
  ASSERT_TRUE(report);
  const json::Value program = (*report)->root()["slipway"];
  ASSERT_EQ(program["command"].size(), 5u);
  EXPECT_EQ(program["command"][4].string(), "3");
  EXPECT_EQ(program["date"].string().size(), std::string_view("2026-01-01T00:00:00Z").size());
}

TEST(RunReport, HasTheDetailsOfJobs) {
  RunReportEntry job = entry(DiagnosticKind::ExpectationFailed);
  job.job = "first";
  job.recipe.validation = {{.buffer = "y", .ok = false, .mismatches = 3, .first = 1}};
  const auto report = json::parse(make_source("report.json", write_run_report({&job, 1}, {})));
  ASSERT_TRUE(report);
  const json::Value file = (*report)->root()["files"][0];
  EXPECT_EQ(file["job"].string(), "first");
  EXPECT_EQ(file["validation"][0]["mismatches"].integer(), 3);
  EXPECT_FALSE(file["runs"]);
}

TEST(RunReport, HasTheErrorsOfLayers) {
  RunReportEntry model = entry(DiagnosticKind::ExpectationFailed);
  tosa::Node node;
  node.name = "stem";
  model::LayerComparison layer{.node = &node, .operators = "CONV2D+CLAMP", .own = {}, .inherited = 5};
  layer.own = {.type = {.shape = {2, 3}},
               .elements = 6,
               .different = 2,
               .wrong = 1,
               .max_difference = 0.5,
               .max_of_allowed = 4,
               .worst = 4,
               .got = 1.5,
               .wanted = 1,
               .allowed = 0.125};
  layer.max_inherited = HUGE_VAL;
  model.layers.push_back({.index = 3, .layer = std::make_shared<model::LayerComparison>(layer)});
  const auto report = json::parse(make_source("report.json", write_run_report({&model, 1}, {})));
  ASSERT_TRUE(report);
  const json::Value written = (*report)->root()["files"][0]["layers"][0];
  EXPECT_EQ(written["operators"].string(), "CONV2D+CLAMP");
  EXPECT_FALSE(written["passed"].boolean());
  EXPECT_EQ(written["own"]["wrong"].integer(), 1);
  ASSERT_EQ(written["own"]["worst"].size(), 2u);
  EXPECT_EQ(written["own"]["worst"][0].integer(), 1);
  EXPECT_EQ(written["own"]["worst"][1].integer(), 1);
  EXPECT_EQ(written["own"]["max_of_allowed"].number(), 4);
  EXPECT_EQ(written["inherited"]["different"].integer(), 5);
  EXPECT_TRUE(written["inherited"]["max_abs"].is(json::Type::Null));
  EXPECT_FALSE(written["wrong_here"]);
}

}  // namespace
}  // namespace slipway::cli
