// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The interpreter and the verifier against cases with expected values, if they are present: 500 cases for all operators
// (format `tosa-cases-1`). Regressions of this project are in tests/corpus/tosa.
#include <gtest/gtest.h>

#include "base/system/files.hpp"
#include "json/document.hpp"
#include "reference/bounds.hpp"
#include "testing/golden_cases.hpp"
#include "testing/source_directory.hpp"
#include "tosa/check/shapes.hpp"
#include "tosa/check/verify.hpp"
#include "tosa/text.hpp"

namespace slipway::reference {
namespace {

using slipway::testing::build;
using slipway::testing::GoldenCase;
using slipway::testing::number;
using slipway::testing::tensor_of;

std::string messages(const Diagnostics& diagnostics) {
  std::string text;
  for (const Diagnostic& diagnostic : diagnostics.all()) text += diagnostic.message + "\n";
  return text;
}

constexpr double kTiny = 1e-12;  // rest of sums that cancel

void expect_values(const GoldenCase& made, const json::Value& from) {
  std::vector<const Tensor*> inputs;
  for (const Tensor& input : made.inputs) inputs.push_back(&input);
  const auto results = run_node(made.graph, made.graph.nodes[0], inputs);
  ASSERT_TRUE(results);
  const auto allowed = *bounds(made.graph, made.graph.nodes[0], inputs, *results);
  std::size_t r = 0;
  for (const json::Value& each : from["outputs"]) {
    const Tensor& value = results->values[r];
    const Tensor wanted = tensor_of(each, value.type.data);
    const std::string check = each["check"] ? each["check"].string() : "exact";
    for (std::size_t i = 0; i < value.integers.size(); ++i) {
      ASSERT_EQ(value.integers[i], wanted.integers[i]) << "element " << i;
    }
    std::vector<double> ref, bound;
    for (const json::Value& number_of : each["ref64"]) ref.push_back(number(number_of));
    for (const json::Value& number_of : each["bound"]) bound.push_back(number(number_of));
    if (bound.empty()) bound = allowed[r];
    for (std::size_t i = 0; i < value.reals.size(); ++i) {
      const bool exact = check == "exact" || check == "fp_exact";
      EXPECT_TRUE(accepts(value.type.data, value.reals[i], exact ? wanted.reals[i] : ref[i], exact ? 0 : bound[i]))
          << "element " << i << " is " << value.reals[i] << " instead of " << wanted.reals[i];
      // Two interpreters in double precision round to the same value or to neighbours, even where larger errors are
      // allowed.
      if (std::isfinite(wanted.reals[i])) {
        EXPECT_LE(std::fabs(value.reals[i] - wanted.reals[i]), ulp(value.type.data, wanted.reals[i]) + kTiny)
            << "element " << i;
      }
      // Our bounds are those of the cases.
      if (!exact && std::isfinite(bound[i]) && bound[i] > 0) {
        EXPECT_NEAR(allowed[r][i], bound[i], bound[i] * 0.5) << "the bound of element " << i;
      }
    }
    ++r;
  }
}

// Minimised cases of earlier defects.
TEST(Golden, Regressions) {
  const auto document =
      json::parse(read_source(slipway::testing::source_directory() / "tests/corpus/tosa/regressions.json").value());
  ASSERT_TRUE(document);
  for (const json::Value& each : (*document)->root()["cases"]) {
    SCOPED_TRACE(std::string(each["id"].string()));
    auto made = build(each, tosa::info_of(tosa::op_from_name(each["op"].string()).value()));
    ASSERT_TRUE(made);
    Diagnostics problems;
    tosa::verify(made->graph, problems);
    ASSERT_FALSE(problems.has_errors()) << messages(problems);
    expect_values(*made, each);
  }
}

// Further cases from another interpreter: SLIPWAY_TOSA_CASES names the file.
TEST(Golden, CasesOfAnotherInterpreter) {
  const char* const file = std::getenv("SLIPWAY_TOSA_CASES");
  if (!file) GTEST_SKIP() << "no file of cases is given";
  const auto document = json::parse(read_source(file).value());
  ASSERT_TRUE(document);
  std::size_t compared = 0;
  for (const json::Value& each : (*document)->root()["cases"]) {
    SCOPED_TRACE(std::string(each["id"].string()));
    const auto op = tosa::op_from_name(each["op"].string());
    if (!op) continue;  // IDENTITY
    auto made = build(each, tosa::info_of(*op));
    ASSERT_TRUE(made);
    Diagnostics problems;
    tosa::verify(made->graph, problems);
    ASSERT_FALSE(problems.has_errors()) << messages(problems);
    expect_values(*made, each);
    ++compared;
  }
  RecordProperty("compared", static_cast<int>(compared));
  EXPECT_GT(compared, 0u);
}

TEST(Golden, AllCases) {
  const std::filesystem::path file = slipway::testing::source_directory() / "tests/data/tosa_cases.json";
  const auto document = json::parse(read_source(file).value());
  ASSERT_TRUE(document);
  std::size_t valid = 0, errors = 0, other = 0;
  for (const json::Value& each : (*document)->root()["cases"]) {
    SCOPED_TRACE(std::string(each["id"].string()));
    const auto op = tosa::op_from_name(each["op"].string());
    if (!op || *op == tosa::Op::CUSTOM || !each["inputs"] || each["graph"]) {
      ++other;
      continue;
    }
    auto made = build(each, tosa::info_of(*op));
    const std::string_view expect = each["expect"].string();
    if (!made) {
      EXPECT_NE(expect, "valid") << "the case could not be built";
      ++other;
      continue;
    }
    Diagnostics problems;
    tosa::verify(made->graph, problems);
    problems.enforce_rules();
    if (expect == "valid" && each["legal_1_0"].boolean()) {
      EXPECT_FALSE(problems.has_errors()) << messages(problems);
      ++valid;
      expect_values(*made, each);
    } else if (expect == "error") {
      EXPECT_TRUE(problems.has_errors()) << print(made->graph);
      ++errors;
    } else {
      ++other;
    }
  }
  RecordProperty("valid", static_cast<int>(valid));
  EXPECT_GT(valid, 380u);
  EXPECT_GT(errors, 20u);
  EXPECT_LT(other, 90u);
}

}  // namespace
}  // namespace slipway::reference
