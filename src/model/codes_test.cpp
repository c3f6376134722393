// All codes of small types, and all values where rounding turns: kernels against the interpreter.
#include "testing/tosa/codes.hpp"

#include <gtest/gtest.h>

#include "testing/tosa/kernel_fixture.hpp"
#include "testing/tosa/suite.hpp"

namespace slipway::model {
namespace {

class CodesTest : public KernelTest {};

TEST_P(CodesTest, KernelsComputeWhatTheInterpreterDoes) {
  using slipway::testing::Codes;
  if (amount(1, 1, 0) == 0) GTEST_SKIP() << "only with SLIPWAY_TOSA_SUITE=all";
  slipway::testing::for_each_code_case(slipway::testing::whole_suite() ? Codes::All : Codes::Quick,
                                       [&](OperatorCase made) { check(std::move(made)); });
  finish();
  EXPECT_GT(checked(), 250u);
}

SLIPWAY_WITH_ALL_KERNELS(CodesTest);

}  // namespace
}  // namespace slipway::model
