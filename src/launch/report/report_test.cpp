// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "launch/report/report_json.hpp"

#include <gtest/gtest.h>

#include "json/document.hpp"

namespace slipway::launch {
namespace {

using std::chrono::microseconds;

FileReport passed() {
  const float values[] = {1, 2};
  const Bytes bytes = std::as_bytes(std::span(values));
  return {.file = "a.json",
          .report = Report{
              .device = "made-up",
              .iterations = 2,
              .expectations = {{"x", tensor::compare(tensor::ElementType::F32, bytes, bytes, tensor::Shape{2})}},
              .outputs = {"x.npy"},
              .counters = {{CounterCategory::RunScenario, "Wait for Fence. Iteration: 1", {}, microseconds(1'500'000)}},
              .profile = {.period = 2, .times = {{CommandType::ComputeDispatch, "add", 0, 500, 1}}}}};
}

FileReport failed() {
  FileReport file = passed();
  file.file = "b.json";
  file.report->diagnostics = {{.kind = DiagnosticKind::ExpectationFailed, .message = "expect 'x': FAILED <1> & \"2\""}};
  return file;
}

FileReport skipped() {
  return {.file = "c.json",
          .diagnostics = {{.severity = Severity::Warning, .kind = DiagnosticKind::UnknownKey, .message = "a warning"},
                          {.kind = DiagnosticKind::DeviceLacks, .message = "no tensors"},
                          {.kind = DiagnosticKind::DeviceLacks, .message = "no graphs"}}};
}

FileReport broken() {
  return {.file = "d.json", .diagnostics = {{.kind = DiagnosticKind::JsonSyntax, .message = "no JSON\x01"}}};
}

TEST(Report, StatusOfAFile) {
  EXPECT_EQ(passed().status(), 0);
  EXPECT_EQ(failed().status(), 1);
  EXPECT_EQ(skipped().status(), 4);
  EXPECT_EQ(broken().status(), 3);
}

TEST(Report, HasTheDriverAndTheSeed) {
  FileReport file = passed();
  file.seed = 7;
  file.report->driver = "a driver 1.2";
  const std::string text = json::object_text(file_report_record(), file);
  EXPECT_TRUE(text.contains("\"driver\": \"a driver 1.2\",\n  \"seed\": 7,\n")) << text;
}

TEST(Report, SuccessWithoutAComparisonIsRan) {
  FileReport file = passed();
  file.is_checked = false;
  EXPECT_TRUE(json::object_text(file_report_record(), file).contains(R"("status": "ran")"));
  file.report->diagnostics = failed().report->diagnostics;
  EXPECT_TRUE(json::object_text(file_report_record(), file).contains(R"("status": "failed")"));
}

TEST(Report, Json) {
  EXPECT_EQ(json::object_text(file_report_record(), passed()), R"({
  "file": "a.json",
  "status": "passed",
  "exit_status": 0,
  "skipped": [],
  "device": "made-up",
  "iterations": 2,
  "expectations": [
    {
      "uid": "x",
      "passed": true,
      "type": "f32",
      "count": 2,
      "skipped": 0,
      "mismatches": 0,
      "max_abs": 0.0,
      "max_rel": 0.0,
      "max_ulp": 0
    }
  ],
  "outputs": [
    "x.npy"
  ],
  "timings": {
    "unit": "microseconds",
    "total": 1500000,
    "host": [
      {
        "category": "Run Scenario",
        "name": "Wait for Fence. Iteration: 1",
        "value": 1500000
      }
    ],
    "gpu": [
      {
        "name": "add",
        "iteration": 1,
        "value": 1.0
      }
    ]
  },
  "diagnostics": [],
  "errors": 0,
  "warnings": 0
}
)");
  EXPECT_EQ(json::object_text(file_report_record(), skipped()), R"({
  "file": "c.json",
  "status": "skipped",
  "exit_status": 4,
  "skipped": [
    "no tensors",
    "no graphs"
  ],
  "diagnostics": [
    {
      "severity": "warning",
      "kind": "unknown-key",
      "message": "a warning",
      "notes": [],
      "suggestions": []
    },
    {
      "severity": "error",
      "kind": "device-lacks",
      "message": "no tensors",
      "notes": [],
      "suggestions": []
    },
    {
      "severity": "error",
      "kind": "device-lacks",
      "message": "no graphs",
      "notes": [],
      "suggestions": []
    }
  ],
  "errors": 2,
  "warnings": 1
}
)");
}

TEST(Report, Verdicts) {
  const float values[] = {1, 2}, others[] = {1, 2.5};
  const Bytes bytes = std::as_bytes(std::span(values));
  const std::vector<ExpectationOutcome> expectations = {
      {"out", tensor::compare(tensor::ElementType::F32, std::as_bytes(std::span(others)), bytes, tensor::Shape{2})},
      {"out2", tensor::compare(tensor::ElementType::F32, bytes, bytes, tensor::Shape{2})},
  };
  EXPECT_EQ(print_expectations(expectations),
            "expect 'out' : FAILED 1 of 2 elements differ (max abs 0.5, max rel 0.25, max ulp 2097152)\n"
            "  [1] got 2.5 expected 2 (abs 0.5, rel 0.25, ulp 2097152)\n"
            "expect 'out2': ok (2 elements, max abs 0)\n");
}

}  // namespace
}  // namespace slipway::launch
