// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lower/tuning.hpp"

#include <gtest/gtest.h>

namespace slipway::lower {
namespace {

const Tuning kMeasured = {
    {"matrices f16 1x196x256x1024 in runs of 1024", {{"step", 64}}},
    {"matrices f16 1x784x256x512 in runs of 512", {{"step", 128}}},
    {"matrices i8 1x196x256x1024 in runs of 1024", {}},
};

std::int64_t step_of(std::string_view what) {
  const Parameters* found = find_parameters(kMeasured, what);
  if (!found) return -1;
  return found->empty() ? 0 : found->at("step");
}

TEST(FindParameters, PrefersTheSameKernel) {
  EXPECT_EQ(step_of("matrices f16 1x196x256x1024 in runs of 1024"), 64);
  EXPECT_EQ(step_of("matrices i8 1x196x256x1024 in runs of 1024"), 0);
}

TEST(FindParameters, FallsBackToTheMostSimilarKernel) {
  EXPECT_EQ(step_of("matrices f16 1x200x256x1024 in runs of 1024"), 64);
  EXPECT_EQ(step_of("matrices f16 1x392x256x512 in runs of 512"), 128);
  EXPECT_EQ(step_of("matrices f16 1x256x256x900 in runs of 900"), 64);
  EXPECT_EQ(step_of("matrices i8 1x100x256x1024 in runs of 1024"), 0);
}

TEST(FindParameters, RefusesWhatIsTooDifferent) {
  EXPECT_EQ(step_of("matrices f16 1x97x256x1024 in runs of 1024"), -1);   // 196 is more than twice as many
  EXPECT_EQ(step_of("matrices f16 1x294x384x1024 in runs of 1024"), -1);  // 1.5 times as many in two dimensions
  EXPECT_EQ(step_of("matrices f32 1x196x256x1024 in runs of 1024"), -1);  // another type
  EXPECT_EQ(step_of("matrices f16 1x196x256x1024"), -1);
  EXPECT_EQ(step_of("matrices f16 1x196x256x1024 in runs of 1024, and more"), -1);
  EXPECT_EQ(step_of(""), -1);
}

}  // namespace
}  // namespace slipway::lower
