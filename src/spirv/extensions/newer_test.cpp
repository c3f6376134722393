// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The table against a version of SPIRV-Tools that knows the extensions.
#include "spirv/extensions/newer.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <spirv/unified1/spirv.hpp11>

#include "base/text/source.hpp"
#include "spirv/module.hpp"
#include "spirv/tools.hpp"

namespace slipway::spirv {
namespace {

constexpr std::string_view kNewerModule = R"(
OpCapability Shader
OpCapability TensorsARM
OpCapability GraphARM
OpCapability BFloat16TypeKHR
OpCapability Float8EXT
OpExtension "SPV_ARM_tensors"
OpExtension "SPV_ARM_graph"
OpExtension "SPV_KHR_bfloat16"
OpExtension "SPV_EXT_float8"
%set = OpExtInstImport "TOSA.001000.1"
OpMemoryModel Logical Vulkan
OpGraphEntryPointARM %graph "a longer name" %x %y
OpDecorate %saturated SaturatedToLargestFloat8NormalConversionEXT
OpDecorate %size RelaxedPrecision
%int = OpTypeInt 32 0
%float = OpTypeFloat 32
%brain = OpTypeFloat 16 BFloat16KHR
%eight = OpTypeFloat 8 Float8E5M2EXT
%quarter = OpConstant %float 0.25
%half = OpConstant %brain 0.5
%two = OpSpecConstant %eight 2
%rank = OpConstant %int 1
%tensor = OpTypeTensorARM %int %rank
%type = OpTypeGraphARM 1 %tensor %tensor
%zero = OpConstant %int 0
%constant = OpGraphConstantARM %tensor 3
%read = OpTensorReadARM %int %x %zero OutOfBoundsValueARM %zero
%saturated = OpFConvert %eight %quarter
%size = OpTensorQuerySizeARM %int %x %zero
OpTensorWriteARM %x %zero %zero
%graph = OpGraphARM %type
%in = OpGraphInputARM %tensor %zero
%sum = OpExtInst %tensor %set ADD %in %constant
OpGraphSetOutputARM %sum %zero
OpGraphEndARM
)";

TEST(NewerInstructions, AgreeWithTheParser) {
  if (!unknown_extensions().empty()) GTEST_SKIP() << do_not_know(unknown_extensions());
  const auto words = assemble(make_source("tensors.spvasm", std::string(kNewerModule)));
  ASSERT_TRUE(words) << words.error().front().message;
  EXPECT_THAT(unknown_extensions(*words), testing::IsEmpty());
  const auto module = read_module(*words, "tensors.spv");
  ASSERT_TRUE(module) << module.error().front().message;
  NewerInstructions table;
  std::size_t count = 0;
  for (const Instruction& instruction : module->instructions()) {
    const WordSpan all = module->words().subspan(instruction.offset, instruction.operands.size() + 1);
    const auto found = table.read(all);
    if (!found) continue;
    ++count;
    EXPECT_EQ(found->type, instruction.type) << "word " << instruction.offset;
    EXPECT_EQ(found->result, instruction.result) << "word " << instruction.offset;
    std::vector<std::size_t> ids;
    for (std::size_t word = 1; word < all.size(); ++word) {
      if (module->is_id(static_cast<std::uint32_t>(instruction.offset + word))) ids.push_back(word);
    }
    EXPECT_EQ(found->ids, ids) << "word " << instruction.offset;
  }
  EXPECT_EQ(count, 22);
}

// A module with the capability alone, as bytes: where SPIRV-Tools does not know it, it cannot assemble it either.
TEST(NewerInstructions, AModuleWithAnUnknownExtensionIsReportedAsNotValidated) {
  constexpr auto kCapability = static_cast<std::uint32_t>(spv::Op::OpCapability) | 2 << 16;
  const auto words_with = [](spv::Capability capability) {
    return Words{spv::MagicNumber, 0x10600, 0, 1, 0, kCapability, static_cast<std::uint32_t>(capability)};
  };
  struct Case {
    spv::Capability capability;
    std::string_view extension;
  };
  for (const auto& [capability, extension] :
       {Case{spv::Capability::TensorsARM, "SPV_ARM_tensors"}, Case{spv::Capability::GraphARM, "SPV_ARM_graph"},
        Case{spv::Capability::BFloat16TypeKHR, "SPV_KHR_bfloat16"},
        Case{spv::Capability::Float8EXT, "SPV_EXT_float8"}}) {
    Diagnostics diagnostics;
    const bool unknown = std::ranges::contains(unknown_extensions(), extension);
    // (A module needs a memory model.)
    EXPECT_EQ(check_module(words_with(capability), "m.spv", diagnostics), unknown);
    ASSERT_EQ(diagnostics.all().size(), 1);
    const Diagnostic& only = diagnostics.all().front();
    EXPECT_EQ(only.severity, unknown ? Severity::Note : Severity::Error) << only.message;
    if (!unknown) continue;
    EXPECT_EQ(only.kind, DiagnosticKind::Unsupported);
    EXPECT_THAT(only.message, testing::MatchesRegex("the module is not validated: SPIRV-Tools .* does not know `" +
                                                    std::string(extension) + "`"));
    EXPECT_EQ(disassemble(words_with(capability), "m.spv").error().front().kind, DiagnosticKind::Unsupported);
    EXPECT_EQ(optimize(words_with(capability), "m.spv").error().front().kind, DiagnosticKind::Unsupported);
  }
}

}  // namespace
}  // namespace slipway::spirv
