// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Cases with expected values: kernels against the interpreter, which returns those values
// (src/reference/golden_test.cpp).
#include "testing/golden_cases.hpp"

#include <gtest/gtest.h>

#include "base/system/files.hpp"
#include "testing/source_directory.hpp"
#include "testing/tosa/kernel_fixture.hpp"
#include "tosa/check/verify.hpp"

namespace slipway::model {
namespace {

class GoldenTest : public KernelTest {};

TEST_P(GoldenTest, KernelsComputeWhatTheInterpreterDoes) {
  const std::filesystem::path file = slipway::testing::source_directory() / "tests/data/tosa_cases.json";
  const auto document = json::parse(read_source(file).value());
  ASSERT_TRUE(document);
  std::uint64_t case_index = 0;
  for (const json::Value& each : (*document)->root()["cases"]) {
    if (!slipway::testing::part().has(case_index++)) continue;
    const auto op = tosa::op_from_name(each["op"].string());
    if (!op || *op == tosa::Op::CUSTOM || !each["inputs"] || each["graph"] || each["expect"].string() != "valid" ||
        !each["legal_1_0"].boolean())
      continue;
    const std::string id(each["id"].string());
    auto made = slipway::testing::build(each, tosa::info_of(*op));
    ASSERT_TRUE(made) << id;
    Diagnostics problems;
    tosa::verify(made->graph, problems);
    ASSERT_FALSE(problems.has_errors()) << id;
    check({.name = id, .graph = std::move(made->graph), .operands = std::move(made->inputs)});
  }
  finish();
  EXPECT_GT(checked(), (slipway::testing::part().of == 1 ? 380u : 0u));
}

SLIPWAY_WITH_ALL_KERNELS(GoldenTest);

}  // namespace
}  // namespace slipway::model
