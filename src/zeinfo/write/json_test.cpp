// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "zeinfo/write/json.hpp"
#include "base/format.hpp"

#include <gtest/gtest.h>

#include "testing/zeinfo_texts.hpp"
#include "zeinfo/schema.hpp"

namespace slipway::zeinfo {
namespace {

using testing::Reading;

TEST(Json, HasTheKeysAndOrderOfCanonicalText) {
  Reading reading(
      "version: 1.73\nkernels:\n- { execution_env: { simd_size: 8, grf_count: 128, required_work_group_size: [1, 2, "
      "3], has_dpas: on },"
      " name: \"a\\\"b\" }\n");
  EXPECT_EQ(to_json(reading.document).value(), R"({
  "version": "1.73",
  "kernels": [
    {
      "name": "a\"b",
      "execution_env": {
        "grf_count": 128,
        "has_dpas": true,
        "required_work_group_size": [
          1,
          2,
          3
        ],
        "simd_size": 8
      }
    }
  ]
}
)");
  const std::string full = to_json(reading.document, {.defaults = true}).value();
  EXPECT_TRUE(full.contains("\"spill_size\": 0"));
  EXPECT_TRUE(full.contains("\"has_sample\": false"));
}

TEST(Json, FloatsAndNonFiniteValues) {
  Reading reading(
      "version: 1.73\nkernels: []\nkernels_cost_info:\n- { name: k, kcm_loop_count_exps: [ { factor: 0.1, "
      "argsym_index: 0, C: -.inf },"
      " { factor: 3.4e38, argsym_index: 0, C: .nan } ], Kcm_loop_costs: [] }\n");
  const SourcePtr source = make_source("t.json", to_json(reading.document).value());
  Diagnostics diagnostics;
  const Document back = read_json(source, diagnostics);
  EXPECT_TRUE(diagnostics.empty());
  EXPECT_TRUE(same_values(reading.document, back));
}

// Errors have the kinds of the text reader, and a JSON pointer.
TEST(Json, ErrorsHaveLocations) {
  struct Bad {
    std::string text;
    DiagnosticKind kind;
    std::string path;
  };
  const Bad cases[] = {
      {"{", DiagnosticKind::JsonSyntax, ""},
      {"[]", DiagnosticKind::NotAMapping, ""},
      {R"({"kernels": 5})", DiagnosticKind::NotASequence, "/kernels"},
      {R"({"kernels": [5]})", DiagnosticKind::NotAMapping, "/kernels/0"},
      {R"({"kernels": [], "kernls": []})", DiagnosticKind::UnknownKey, "/kernls"},
      {R"({"kernels": [], "kernels": []})", DiagnosticKind::DuplicateKey, "/kernels"},
      {R"({"version": "1.73"})", DiagnosticKind::MissingKey, ""},
      {R"({"kernels": [], "version": 1.73})", DiagnosticKind::BadVersion, "/version"},
      {R"({"kernels": [], "version": "3.1"})", DiagnosticKind::UnsupportedVersion, "/version"},
      {R"({"kernels": [{"name": 5, "execution_env": {"grf_count": 1, "simd_size": 8}}]})", DiagnosticKind::NotAScalar,
       "/kernels/0/name"},
      {R"({"kernels": [{"name": "k", "execution_env": {"grf_count": 1.5, "simd_size": 8}}]})",
       DiagnosticKind::BadInteger, "/kernels/0/execution_env/grf_count"},
      {R"({"kernels": [{"name": "k", "execution_env": {"grf_count": 4294967296, "simd_size": 8}}]})",
       DiagnosticKind::IntegerRange, "/kernels/0/execution_env/grf_count"},
      {R"({"kernels": [{"name": "k", "execution_env": {"grf_count": 1, "simd_size": 8, "has_dpas": 1}}]})",
       DiagnosticKind::BadBoolean, "/kernels/0/execution_env/has_dpas"},
      {R"({"kernels": [{"name": "k", "execution_env": {"grf_count": 1, "simd_size": 8, "thread_scheduling_mode": "x"}}]})",
       DiagnosticKind::UnknownValue, "/kernels/0/execution_env/thread_scheduling_mode"},
      {R"({"kernels": [{"name": "k", "execution_env": {"grf_count": 1, "simd_size": 8, "required_work_group_size": [1]}}]})",
       DiagnosticKind::ListLength, "/kernels/0/execution_env/required_work_group_size"}};
  for (const Bad& one : cases) {
    Diagnostics diagnostics;
    const Document document = read_json(make_source("t.json", one.text), diagnostics);
    ASSERT_EQ(diagnostics.all().size(), 1u) << one.text;
    EXPECT_EQ(diagnostics.all()[0].kind, one.kind) << one.text;
    EXPECT_EQ(diagnostics.all()[0].path, one.path) << one.text;
    EXPECT_TRUE(document.has_errors);
  }
}

TEST(Json, RulesPointIntoTheJson) {
  const SourcePtr source = make_source("t.json", R"({"version": "1.73", "kernels": [{"name": "k",
 "execution_env": {"grf_count": 128, "simd_size": 4}}]})");
  Diagnostics diagnostics;
  const Document document = read_json(source, diagnostics);
  TextDiagnostics problems("t.json", source->text(), diagnostics);
  check(document, {}, {.level = Level::Spec}, problems);
  ASSERT_EQ(diagnostics.all().size(), 1u);
  EXPECT_EQ(diagnostics.all()[0].kind, DiagnosticKind::SimdSize);
  EXPECT_EQ(source->text(diagnostics.all()[0].location.span), "4");
}

TEST(SchemaText, NamesEveryKeyAndValue) {
  const std::string markdown = schema_markdown();
  const std::string schema = json_schema();
  for (const MappingInfo* mapping : all_mappings()) {
    for (const FieldInfo& field : mapping->fields) {
      EXPECT_TRUE(markdown.contains(formatted("| `{}` |", field.key)));
      EXPECT_TRUE(schema.contains(formatted("\"{}\": {{", field.key)));
      EXPECT_FALSE(field.doc.empty()) << field.key;
    }
  }
  for (const EnumInfo* values : all_enums()) {
    for (const ValueInfo& value : values->values) EXPECT_TRUE(schema.contains(formatted("\"{}\"", value.name)));
  }
}

}  // namespace
}  // namespace slipway::zeinfo
