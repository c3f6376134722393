// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// All codes of small types, and all values where rounding changes: kernels against the interpreter.
#include "tosa_cases/codes.hpp"

#include <gtest/gtest.h>

#include "testing/tosa/kernel_fixture.hpp"
#include "testing/tosa/suite.hpp"

namespace slipway::model {
namespace {

class CodesTest : public KernelTest {};

TEST_P(CodesTest, KernelsComputeWhatTheInterpreterDoes) {
  using slipway::tosa_cases::Codes;
  // Operators that depend on the division of a device run every time with all kernels.
  const bool all = slipway::testing::whole_suite() || GetParam() == Kernels::Device;
  std::uint64_t case_index = 0;
  slipway::tosa_cases::for_each_code_case(
      slipway::testing::whole_suite() ? Codes::All : Codes::Quick, [&](OperatorCase made) {
        const tosa::Op op = made.node().op;
        const bool divides = op == tosa::Op::RECIPROCAL || op == tosa::Op::RSQRT || op == tosa::Op::SIGMOID;
        if (slipway::testing::part().has(case_index++) && (all || divides)) check(std::move(made));
      });
  finish();
  EXPECT_GT(checked(), all ? 250u / slipway::testing::part().of : 5u);
}

SLIPWAY_WITH_ALL_KERNELS(CodesTest);

}  // namespace
}  // namespace slipway::model
