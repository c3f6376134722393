// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Every operator with each of its types, shapes and attributes: kernels against the interpreter.
#include <gtest/gtest.h>

#include "testing/tosa/kernel_fixture.hpp"
#include "testing/tosa/suite.hpp"
#include "tosa_cases/matrix/matrix.hpp"

namespace slipway::model {
namespace {

class MatrixTest : public KernelTest {};

TEST_P(MatrixTest, KernelsComputeWhatTheInterpreterDoes) {
  // A sample runs of operators with thousands of configurations; a different one for each pattern.
  std::map<tosa::Op, std::size_t> configurations;
  for (const auto& configuration : slipway::tosa_cases::matrix()) ++configurations[configuration.op];
  std::map<tosa::Op, std::size_t> seen;
  for (std::size_t i = 0; i < slipway::tosa_cases::matrix().size(); ++i) {
    const auto& configuration = slipway::tosa_cases::matrix()[i];
    const std::size_t number_of_op = seen[configuration.op]++;
    if (!slipway::testing::part().has(i)) continue;
    const std::size_t step = slipway::testing::whole_suite()
                                 ? 1
                                 : std::max<std::size_t>(configurations[configuration.op] / amount(0, 3, 1), 1);
    for (const slipway::tosa_cases::Pattern pattern : slipway::tosa_cases::kPatterns) {
      if (number_of_op % step != static_cast<std::size_t>(pattern) % step) continue;
      if (!configuration.has_edges && pattern == slipway::tosa_cases::Pattern::Random2) continue;
      Diagnostics problems;
      if (auto made = slipway::tosa_cases::case_of(i, pattern, problems)) check(std::move(*made));
    }
  }
  finish();
  EXPECT_GT(checked(), amount(22000, 300, 100));  // about 23,000 in total; parts differ slightly in size
}

SLIPWAY_WITH_ALL_KERNELS(MatrixTest);

}  // namespace
}  // namespace slipway::model
