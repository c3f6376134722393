// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "testing/layer_fixture.hpp"

namespace slipway::testing {

void LayerTest::SetUp() {
  if (!UseLayer::is_here()) GTEST_SKIP() << "no layer here";
}

void LayerTest::TearDown() {
  stop();
  for (const std::string& message : take_messages()) ADD_FAILURE() << message;
}

}  // namespace slipway::testing
