// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "executors/vulkan/layer_messages.hpp"

#include <gtest/gtest.h>

namespace slipway::launch {
namespace {

TEST(LayerMessages, AreTakenOnceAsWarnings) {
  LayerMessages messages;
  messages.add({.id = "VUID-1", .text = "a rule"});
  messages.add({.is_shader_print = true, .text = "printed"});
  const std::vector<Diagnostic> taken = messages.take();
  ASSERT_EQ(taken.size(), 1u);
  EXPECT_EQ(taken[0].kind, DiagnosticKind::ValidationMessage);
  EXPECT_EQ(taken[0].severity, Severity::Warning);
  EXPECT_EQ(taken[0].message, "VUID-1: a rule");
  EXPECT_TRUE(messages.take().empty());
  EXPECT_EQ(messages.take_prints(), std::vector<std::string>{"printed"});
  EXPECT_TRUE(messages.take_prints().empty());
}

TEST(LayerMessages, KeepAsManyPrintsAsTheLimit) {
  LayerMessages messages;
  for (std::size_t i = 0; i < LayerMessages::kMaxPrints + 2; ++i)
    messages.add({.is_shader_print = true, .text = std::to_string(i)});
  const std::vector<std::string> lines = messages.take_prints();
  ASSERT_EQ(lines.size(), LayerMessages::kMaxPrints + 1);
  EXPECT_EQ(lines[LayerMessages::kMaxPrints - 1], std::to_string(LayerMessages::kMaxPrints - 1));
  EXPECT_EQ(lines.back(), "... and 2 more lines, which were not kept");
}

}  // namespace
}  // namespace slipway::launch
