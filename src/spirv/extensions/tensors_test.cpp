// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The table against a version of SPIRV-Tools that knows the extensions.
#include "spirv/extensions/tensors.hpp"

#include <gtest/gtest.h>

#include "base/text/source.hpp"
#include "spirv/module.hpp"
#include "spirv/tools.hpp"

namespace slipway::spirv {
namespace {

constexpr std::string_view kTensorsAndGraphs = R"(
OpCapability Shader
OpCapability TensorsARM
OpCapability GraphARM
OpExtension "SPV_ARM_tensors"
OpExtension "SPV_ARM_graph"
%set = OpExtInstImport "TOSA.001000.1"
OpMemoryModel Logical Vulkan
OpGraphEntryPointARM %graph "a longer name" %x %y
%int = OpTypeInt 32 0
%rank = OpConstant %int 1
%tensor = OpTypeTensorARM %int %rank
%type = OpTypeGraphARM 1 %tensor %tensor
%zero = OpConstant %int 0
%constant = OpGraphConstantARM %tensor 3
%read = OpTensorReadARM %int %x %zero OutOfBoundsValueARM %zero
%size = OpTensorQuerySizeARM %int %x %zero
OpTensorWriteARM %x %zero %zero
%graph = OpGraphARM %type
%in = OpGraphInputARM %tensor %zero
%sum = OpExtInst %tensor %set ADD %in %constant
OpGraphSetOutputARM %sum %zero
OpGraphEndARM
)";

TEST(TensorInstructions, AgreeWithTheParser) {
  if (!validates_tensors()) GTEST_SKIP() << "SPIRV-Tools does not know the extensions";
  const auto words = assemble(make_source("tensors.spvasm", std::string(kTensorsAndGraphs)));
  ASSERT_TRUE(words) << words.error().front().message;
  EXPECT_FALSE(has_unknown_extensions(*words));
  const auto module = read_module(*words, "tensors.spv");
  ASSERT_TRUE(module) << module.error().front().message;
  TensorInstructions table;
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
  EXPECT_EQ(count, 15);
}

}  // namespace
}  // namespace slipway::spirv
