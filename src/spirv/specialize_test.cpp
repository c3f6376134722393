// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "spirv/specialize.hpp"

#include <gtest/gtest.h>

#include "spirv/testing.hpp"

namespace slipway::spirv {
namespace {

constexpr std::string_view kModule = R"(
OpCapability Shader
OpCapability Int64
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main "main"
OpExecutionMode %main LocalSize 1 1 1
OpDecorate %a SpecId 7
OpDecorate %b SpecId 8
OpDecorate %c SpecId 9
%void = OpTypeVoid
%fn = OpTypeFunction %void
%int = OpTypeInt 32 0
%long = OpTypeInt 64 0
%bool = OpTypeBool
%a = OpSpecConstant %int 5
%b = OpSpecConstant %long 6
%c = OpSpecConstantTrue %bool
%main = OpFunction %void None %fn
%entry = OpLabel
OpReturn
OpFunctionEnd
)";

TEST(Specialize, SetsDefaultsOfAllWidths) {
  const auto module = read_module(words_of(std::string(kModule)), "m");
  ASSERT_TRUE(module);
  const auto made = read_module(specialize(*module, {{7, 50}, {8, 0x1'0000'0002}, {9, 0}, {10, 1}}), "m");
  ASSERT_TRUE(made);
  const auto reflection = reflect(*made);
  ASSERT_TRUE(reflection);
  ASSERT_EQ(reflection->specialization_constants.size(), 3u);
  EXPECT_EQ(reflection->specialization_constants[0].default_bits, 50u);
  EXPECT_EQ(reflection->specialization_constants[1].default_bits, 0x1'0000'0002u);
  EXPECT_EQ(reflection->specialization_constants[2].default_bits, 0u);
}

TEST(Specialize, LeavesWhatIsNotGiven) {
  const auto module = read_module(words_of(std::string(kModule)), "m");
  ASSERT_TRUE(module);
  EXPECT_EQ(specialize(*module, {}), Words(std::from_range, module->words()));
}

}  // namespace
}  // namespace slipway::spirv
