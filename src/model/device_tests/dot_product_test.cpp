// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Dot products on the conformance data: the statistics of the errors of kernels
// (docs/spec/tosa.md#dot-product-check).
#include <gtest/gtest.h>

#include "testing/tosa/kernel_fixture.hpp"
#include "testing/tosa/suite.hpp"
#include "tosa_cases/dot_data.hpp"

namespace slipway::model {
namespace {

class DotProductTest : public KernelTest {};

TEST_P(DotProductTest, ErrorsStayWithinTheStatistics) {
  const std::vector<slipway::tosa_cases::DotSetup> setups = slipway::tosa_cases::dot_setups();
  // A few setups run every time with each set.
  for (int set = 0; set < slipway::tosa_cases::kDotSets; ++set) {
    std::deque<OperatorCase> cases;
    Batch batch;
    for (std::size_t i = 0; i < setups.size(); ++i) {
      const std::size_t step = (slipway::testing::whole_suite() ? 1 : amount(0, 5, 15)) * slipway::tosa_cases::kDotSets;
      if (!slipway::testing::whole_suite() &&
          i % step != static_cast<std::size_t>(set) * step / slipway::tosa_cases::kDotSets)
        continue;
      if (!slipway::testing::part().has(i)) continue;
      cases.push_back(slipway::tosa_cases::dot_case(setups[i], set));
      batch.add(cases.back());
    }
    if (batch.empty()) continue;
    const std::vector<Tensor> outputs = run_kernels(batch.graph(), batch.inputs());
    for (std::size_t i = 0; i < batch.size(); ++i)
      EXPECT_EQ(slipway::tosa_cases::dot_failure(cases[i], set, batch.results_of(i, outputs)), "");
  }
}

SLIPWAY_WITH_ALL_KERNELS(DotProductTest);

}  // namespace
}  // namespace slipway::model
