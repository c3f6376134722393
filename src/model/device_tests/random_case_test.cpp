// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Random cases of every operator: kernels against the interpreter. SLIPWAY_TOSA_SEED is the first seed,
// SLIPWAY_TOSA_CASES_OF_EACH how many cases of each operator there are.
#include <gtest/gtest.h>

#include "testing/tosa/kernel_fixture.hpp"
#include "testing/tosa/suite.hpp"
#include "tosa_cases/random_case.hpp"

namespace slipway::model {
namespace {

using slipway::testing::number_of;

class RandomCaseTest : public KernelTest {
 protected:
  bool fails(const OperatorCase& made) {
    Batch batch;
    batch.add(made);
    return !disagreement(made, run_kernels(batch.graph(), batch.inputs())).empty();
  }
};

TEST_P(RandomCaseTest, KernelsComputeWhatTheInterpreterDoes) {
  const std::uint64_t first = number_of("SLIPWAY_TOSA_SEED", 1),
                      wanted = number_of("SLIPWAY_TOSA_CASES_OF_EACH",
                                         slipway::testing::whole_suite() ? 200 : amount(0, 3, 1));
  std::size_t compared = 0;
  for (const tosa::OperatorInfo& info : tosa::operators()) {
    if (info.set == tosa::InstructionSet::BlockScaled) continue;  // without kernels
    if (!slipway::testing::part().has(static_cast<std::uint64_t>(info.op))) continue;
    std::deque<OperatorCase> cases;
    std::vector<std::uint64_t> seeds;
    Batch batch;
    for (std::uint64_t seed = first; cases.size() < wanted && seed < first + 40 * wanted; ++seed) {
      if (auto made = slipway::tosa_cases::random_case(info.op, seed)) {
        cases.push_back(std::move(*made));
        seeds.push_back(seed);
        batch.add(cases.back());
      }
    }
    EXPECT_EQ(cases.size(), wanted) << info.name;
    if (batch.empty()) continue;
    const std::vector<Tensor> outputs = run_kernels(batch.graph(), batch.inputs());
    for (std::size_t i = 0; i < cases.size(); ++i, ++compared) {
      const std::string why = disagreement(cases[i], batch.results_of(i, outputs));
      if (why.empty()) continue;
      const OperatorCase smallest =
          fails(cases[i])
              ? slipway::tosa_cases::shrink(info.op, seeds[i], [&](const OperatorCase& made) { return fails(made); })
              : cases[i];
      ADD_FAILURE() << why << "the smallest such case:\n"
                    << text_of(smallest) << slipway::tosa_cases::json_of(smallest);
      break;  // further cases of this operator are likely the same defect
    }
  }
  EXPECT_GE(compared, 60 * wanted / slipway::testing::part().of / 2);
}

SLIPWAY_WITH_ALL_KERNELS(RandomCaseTest);

}  // namespace
}  // namespace slipway::model
