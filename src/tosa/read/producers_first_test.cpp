// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tosa/read/producers_first.hpp"

#include <gmock/gmock.h>

namespace slipway::tosa {
namespace {

using ::testing::ElementsAre;
using Users = std::vector<std::vector<std::uint32_t>>;

TEST(ProducersFirst, KeepsAnOrderThatIsValid) {
  EXPECT_THAT(producers_first(Users{{2}, {}, {}}).value(), ElementsAre(0, 1, 2));
  EXPECT_THAT(producers_first(Users{}).value(), ElementsAre());
}

TEST(ProducersFirst, MovesWhatComesTooEarly) {
  EXPECT_THAT(producers_first(Users{{}, {}, {0}}).value(), ElementsAre(1, 2, 0));
  EXPECT_THAT(producers_first(Users{{}, {0}, {1, 1}}).value(), ElementsAre(2, 1, 0));
}

TEST(ProducersFirst, NamesTheFirstOfACycle) {
  EXPECT_EQ(producers_first(Users{{}, {2}, {1}}).error(), 1U);
  EXPECT_EQ(producers_first(Users{{0}}).error(), 0U);
}

}  // namespace
}  // namespace slipway::tosa
