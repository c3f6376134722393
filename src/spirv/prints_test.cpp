// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "spirv/prints.hpp"

#include "spirv/testing.hpp"

namespace slipway::spirv {
namespace {

std::string shader_with(std::string_view import) {
  return "OpCapability Shader\nOpExtension \"SPV_KHR_non_semantic_info\"\n" + std::string(import) +
         "OpMemoryModel Logical GLSL450\n"
         "OpEntryPoint GLCompute %main \"main\"\n"
         "OpExecutionMode %main LocalSize 1 1 1\n"
         "%void = OpTypeVoid\n%fn = OpTypeFunction %void\n"
         "%main = OpFunction %void None %fn\n%entry = OpLabel\nOpReturn\nOpFunctionEnd\n";
}

TEST(Prints, FindsTheImport) {
  EXPECT_TRUE(prints(words_of(shader_with("%1 = OpExtInstImport \"NonSemantic.DebugPrintf\"\n"))));
  EXPECT_TRUE(
      prints(words_of(shader_with("%1 = OpExtInstImport \"GLSL.std.450\"\n"
                                  "%2 = OpExtInstImport \"NonSemantic.DebugPrintf\"\n"))));
  EXPECT_FALSE(prints(words_of(shader_with(""))));
  EXPECT_FALSE(prints(words_of(shader_with("%1 = OpExtInstImport \"NonSemantic.DebugBreak\"\n"))));
}

TEST(Prints, AnyWordsAreHarmless) {
  const Words words = words_of(shader_with("%1 = OpExtInstImport \"NonSemantic.DebugPrintf\"\n"));
  std::size_t found = 0;
  for (std::size_t size = 0; size <= words.size(); ++size) found += prints(WordSpan(words).first(size));
  EXPECT_GT(found, 0);
  for (std::size_t i = 0; i < words.size(); ++i) {
    for (const std::uint32_t word : {0u, 0xffffffffu, 0x0001000bu}) {
      Words changed = words;
      changed[i] = word;
      prints(changed);
    }
  }
}

}  // namespace
}  // namespace slipway::spirv
