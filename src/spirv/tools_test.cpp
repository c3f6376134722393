// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "spirv/tools.hpp"

#include <algorithm>

#include <spirv/unified1/spirv.hpp11>

#include "spirv/testing.hpp"

namespace slipway::spirv {
namespace {

TEST(Tools, ValidModulesPass) {
  const Words words = words_of(compute_shader("", "", ""));
  EXPECT_TRUE(validate(words, "t.spv"));
  EXPECT_TRUE(validate(words, "t.spv", Environment::Vulkan14));
  EXPECT_TRUE(validate(words, "t.spv", Environment::Universal16));
}

TEST(Tools, InvalidModulesSayWhereAndWhy) {
  const Words words = words_of(compute_shader("", "", "%x = OpIAdd %u32 %u0 %f1\n"));
  const Result<> valid = validate(words, "t.spv");
  ASSERT_FALSE(valid);
  const Diagnostic& diagnostic = valid.error().at(0);
  EXPECT_THAT(diagnostic.message, testing::StartsWith("Failed to validate SPIR-V module: Expected int scalar"));
  const Module module = module_of(compute_shader("", "", "%x = OpIAdd %u32 %u0 %f1\n"));
  const auto add = std::ranges::find(module.instructions(), spv::Op::OpIAdd, &Instruction::op);
  EXPECT_EQ(diagnostic.location.span, module.location(*add).span);
  EXPECT_EQ(diagnostic.kind, DiagnosticKind::FileFormat);
  ASSERT_EQ(diagnostic.notes.size(), 1u);
  EXPECT_THAT(diagnostic.notes[0].message, testing::HasSubstr("OpIAdd %uint %uint_0 %float_1"));
}

TEST(Tools, WordsThatAreNoModuleDoNotValidate) {
  EXPECT_THAT(shown(validate(Words{1, 2, 3}, "t.spv").error()),
              testing::StartsWith("t.spv: error: Failed to validate SPIR-V module: "));
  EXPECT_THAT(shown(validate({}, "t.spv").error()),
              testing::StartsWith("t.spv: error: Failed to validate SPIR-V module: "));
}

TEST(Tools, TheEnvironmentMatters) {
  // A variable without its binding is a matter of Vulkan alone.
  const Words words = words_of(
      compute_shader("OpDecorate %block Block\nOpMemberDecorate %block 0 Offset 0\n",
                     "%block = OpTypeStruct %u32\n%ptr = OpTypePointer Uniform %block\n%b = OpVariable %ptr Uniform\n",
                     "%x = OpLoad %block %b\n", "%b"));
  EXPECT_TRUE(validate(words, "t.spv", Environment::Universal16));
  EXPECT_FALSE(validate(words, "t.spv", Environment::Vulkan13));
}

TEST(Tools, ScalarBlockLayoutPasses) {
  const Words words = words_of(compute_shader(
      "OpDecorate %block Block\nOpMemberDecorate %block 0 Offset 0\nOpMemberDecorate %block 1 Offset 4\n"
      "OpDecorate %b DescriptorSet 0\nOpDecorate %b Binding 0\n",
      "%block = OpTypeStruct %f32 %v4f\n%ptr = OpTypePointer Uniform %block\n%b = OpVariable %ptr Uniform\n",
      "%x = OpLoad %block %b\n", "%b"));
  EXPECT_TRUE(validate(words, "t.spv"));
}

TEST(Tools, AssemblyErrorsPointIntoTheText) {
  const auto error = [](std::string text) {
    return format_diagnostic(assemble(make_source("t.spvasm", std::move(text))).error().at(0));
  };
  EXPECT_EQ(error("OpCapability Shader\nOpMemoryModel Logical Foo\n"),
            "t.spvasm:2:23: error: Compilation error: Invalid memory model 'Foo'. [shader-compile]\n"
            "    2 | OpMemoryModel Logical Foo\n"
            "      |                       ^~~\n");
  EXPECT_THAT(error("OpCapability Shader\n%x = OpFoo\n"),
              testing::StartsWith("t.spvasm:2:6: error: Compilation error: "));
  EXPECT_THAT(error("OpMemoryModel Logical"), testing::HasSubstr("Compilation error: "));
}

TEST(Tools, DisassemblyIsTextAgain) {
  const Words words = words_of("OpCapability Shader\nOpMemoryModel Logical GLSL450\n%1 = OpTypeInt 32 0\n");
  EXPECT_EQ(disassemble(words, "t.spv", {.indent = false}).value(),
            "OpCapability Shader\nOpMemoryModel Logical GLSL450\n%uint = OpTypeInt 32 0\n");
  EXPECT_EQ(disassemble(words, "t.spv", {.friendly_names = false}).value(),
            "               OpCapability Shader\n"
            "               OpMemoryModel Logical GLSL450\n"
            "          %1 = OpTypeInt 32 0\n");
  const std::string full = disassemble(words, "t.spv", {.indent = false, .header = true, .offsets = true}).value();
  EXPECT_THAT(full, testing::HasSubstr("; Version: 1.6\n"));
  EXPECT_THAT(full, testing::HasSubstr(" ; 0x0000001c\n"));
  EXPECT_EQ(words_of(full), words);
  EXPECT_THAT(shown(disassemble(Words{1, 2, 3, 4, 5}, "t.spv").error()),
              testing::StartsWith("t.spv: error: invalid SPIR-V: "));
}

TEST(Tools, AssemblyOfTheVersionThatItStates) {
  const std::string text = compute_shader("", "", "");
  EXPECT_EQ(words_of(text)[1], 0x10600u);
  for (const std::uint32_t minor : {0u, 1u, 2u, 3u, 4u, 5u, 6u}) {
    const Words words = words_of("; SPIR-V\n; Version: 1." + std::to_string(minor) + "\r\n;; more\n\n" + text);
    EXPECT_EQ(words[1], 0x10000u | minor << 8);
    EXPECT_EQ(words_of(disassemble(words, "t.spv", {.header = true}).value()), words);
  }
  // Only a comment at the head, of a known version, counts.
  EXPECT_EQ(words_of(text + "; Version: 1.0\n")[1], 0x10600u);
  EXPECT_EQ(words_of("; Version: 1.9\n" + text)[1], 0x10600u);
  EXPECT_EQ(words_of("; Version: 2.0\n" + text)[1], 0x10600u);
  EXPECT_EQ(words_of("; Version: \n" + text)[1], 0x10600u);
  EXPECT_THAT(shown(assemble(make_source("t", "; Version: 1.0\nOpNothing\n")).error()),
              testing::HasSubstr("Invalid Opcode name 'OpNothing'"));
}

TEST(Tools, OptimizingRemovesWhatIsDead) {
  const Words words = words_of(compute_shader("", "", "%x = OpIAdd %u32 %u1 %u2\n"));
  for (const Optimize goal : {Optimize::Performance, Optimize::Size}) {
    const Result<Words> optimized = optimize(words, "t.spv", goal);
    ASSERT_TRUE(optimized) << shown(optimized.error());
    EXPECT_LT(optimized->size(), words.size());
    EXPECT_TRUE(validate(*optimized, "t.spv"));
  }
}

TEST(Tools, OptimizingKeepsBindingsAndSpecializationConstants) {
  const Words words = words_of(
      compute_shader("OpDecorate %block Block\nOpMemberDecorate %block 0 Offset 0\nOpDecorate %b DescriptorSet 0\n"
                     "OpDecorate %b Binding 3\nOpDecorate %s SpecId 5\n",
                     "%s = OpSpecConstant %u32 1\n%block = OpTypeStruct %u32\n%ptr = OpTypePointer Uniform %block\n"
                     "%b = OpVariable %ptr Uniform\n",
                     "", "%b"));
  const std::string text = disassemble(optimize(words, "t.spv").value(), "t.spv").value();
  EXPECT_THAT(text, testing::HasSubstr("Binding 3"));
  EXPECT_THAT(text, testing::HasSubstr("SpecId 5"));
}

TEST(Tools, OptimizingRefusesInvalidModules) {
  EXPECT_THAT(shown(optimize(words_of(compute_shader("", "", "%x = OpIAdd %u32 %u0 %f1\n")), "t.spv").error()),
              testing::HasSubstr("Failed to validate SPIR-V module"));
}

}  // namespace
}  // namespace slipway::spirv
