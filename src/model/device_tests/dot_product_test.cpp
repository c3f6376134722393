// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Dot products on the conformance data: the statistics of the errors of kernels
// (docs/spec/tosa.md#dot-product-check).
#include <gtest/gtest.h>

#include "testing/tosa/dot_data.hpp"
#include "testing/tosa/kernel_fixture.hpp"
#include "testing/tosa/suite.hpp"

namespace slipway::model {
namespace {

class DotProductTest : public KernelTest {};

TEST_P(DotProductTest, ErrorsStayWithinTheStatistics) {
  const std::vector<slipway::testing::DotSetup> setups = slipway::testing::dot_setups();
  // A few setups run every time with each set.
  for (int set = 0; set < slipway::testing::kDotSets; ++set) {
    std::deque<OperatorCase> cases;
    Batch batch;
    for (std::size_t i = 0; i < setups.size(); ++i) {
      const std::size_t step = (slipway::testing::whole_suite() ? 1 : amount(0, 5, 15)) * slipway::testing::kDotSets;
      if (!slipway::testing::whole_suite() &&
          i % step != static_cast<std::size_t>(set) * step / slipway::testing::kDotSets)
        continue;
      if (!slipway::testing::part().has(i)) continue;
      cases.push_back(slipway::testing::dot_case(setups[i], set));
      batch.add(cases.back());
    }
    if (batch.empty()) continue;
    const std::vector<Tensor> outputs = run_kernels(batch.graph(), batch.inputs());
    for (std::size_t i = 0; i < batch.size(); ++i)
      EXPECT_EQ(slipway::testing::dot_failure(cases[i], set, batch.results_of(i, outputs)), "");
  }
}

SLIPWAY_WITH_ALL_KERNELS(DotProductTest);

}  // namespace
}  // namespace slipway::model
