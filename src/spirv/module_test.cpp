// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "spirv/module.hpp"
#include "base/format.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <spirv/unified1/spirv.hpp11>

#include "spirv/testing.hpp"

namespace slipway::spirv {
namespace {

const char kShader[] =
    "OpCapability Shader\n"
    "OpMemoryModel Logical GLSL450\n"
    "OpEntryPoint GLCompute %main \"main\"\n"
    "OpExecutionMode %main LocalSize 1 1 1\n"
    "OpName %main \"a longer name\"\n"
    "%void = OpTypeVoid\n"
    "%fn = OpTypeFunction %void\n"
    "%main = OpFunction %void None %fn\n"
    "%entry = OpLabel\n"
    "OpReturn\n"
    "OpFunctionEnd\n";

std::string read_error(Words words) {
  const Result<Module> module = read_module(std::move(words), "t.spv");
  return module ? "read" : shown(module.error());
}

// The shader's words with one changed.
Words edited(std::size_t index, std::uint32_t word) {
  Words words = words_of(kShader);
  words.at(index) = word;
  return words;
}

std::size_t offset_of(spv::Op op) {
  const Module module = module_of(kShader);
  for (const Instruction& instruction : module.instructions()) {
    if (instruction.op == op) return instruction.offset;
  }
  ADD_FAILURE() << "no such instruction";
  return 0;
}

TEST(Module, InstructionsAreViews) {
  const Module module = module_of(kShader);
  EXPECT_EQ(module.name(), "t.spv");
  EXPECT_EQ(module.version(), kVersion16);
  ASSERT_EQ(module.instructions().size(), 11u);
  const Instruction& entry_point = module.instructions()[2];
  EXPECT_EQ(entry_point.op, spv::Op::OpEntryPoint);
  EXPECT_EQ(entry_point.string(2), "main");
  EXPECT_EQ(module.instructions()[4].string(1), "a longer name");
  const Instruction* function = module.definition(entry_point.operand(1));
  ASSERT_NE(function, nullptr);
  EXPECT_EQ(function->op, spv::Op::OpFunction);
  EXPECT_EQ(function->result, entry_point.operand(1));
  EXPECT_EQ(module.definition(function->type)->op, spv::Op::OpTypeVoid);
  EXPECT_LT(function->result, module.id_bound());
}

TEST(Module, KnowsWhichWordsAreIds) {
  const Module module = module_of(kShader);
  const Instruction& mode = module.instructions()[3];
  EXPECT_TRUE(module.is_id(mode.offset + 1));
  EXPECT_FALSE(module.is_id(mode.offset));
  EXPECT_FALSE(module.is_id(mode.offset + 2));
  EXPECT_FALSE(module.is_id(mode.offset + 3));
}

TEST(Module, WhatIsNotThereIsNothing) {
  const Module module = module_of(kShader);
  EXPECT_EQ(module.definition(0), nullptr);
  EXPECT_EQ(module.definition(1000000), nullptr);
  EXPECT_EQ(module.instructions()[0].operand(7), 0u);
  EXPECT_EQ(module.instructions()[0].string(7), "");
}

TEST(Module, CopiesOutliveTheOriginal) {
  Module copy;
  {
    const Module module = module_of(kShader);
    copy = module;
  }
  EXPECT_EQ(copy.instructions()[2].string(2), "main");
}

TEST(Module, PlacesAreByteRanges) {
  const Module module = module_of(kShader);
  EXPECT_EQ(format_location(module.location(module.instructions()[0])), "t.spv:0x14");
  EXPECT_EQ(module.location(module.instructions()[0]).span, (Span{20, 28}));
}

TEST(Module, BigEndianWordsAreSwapped) {
  const Words words = words_of(kShader);
  Words swapped;
  for (const std::uint32_t word : words) swapped.push_back(std::byteswap(word));
  EXPECT_TRUE(is_spirv(std::as_bytes(std::span(swapped))));
  const Result<Module> module = read_module(std::as_bytes(std::span(swapped)), "big.spv");
  ASSERT_TRUE(module);
  EXPECT_TRUE(std::ranges::equal(module->words(), words));
}

TEST(Module, IsSpirvLooksAtTheMagicNumber) {
  const Words words = words_of(kShader);
  EXPECT_TRUE(is_spirv(std::as_bytes(std::span(words))));
  EXPECT_FALSE(is_spirv(bytes_of("#version 460")));
  EXPECT_FALSE(is_spirv(bytes_of("\x03\x02")));
}

TEST(Module, BadHeaders) {
  EXPECT_EQ(shown(read_module(bytes_of("abcde"), "t.spv").error()),
            "t.spv:0x4: error: SPIR-V shader file size must be a multiple of 4 bytes. This one has 5 [file-format]\n");
  EXPECT_EQ(read_error({}), "t.spv:0x0: error: a SPIR-V header has 20 bytes, but the file has 0 [file-truncated]\n");
  EXPECT_EQ(read_error({1, 2, 3, 4, 5}),
            "t.spv:0x0: error: not a SPIR-V module: the first word is 0x00000001, not 0x07230203 [file-format]\n");
  EXPECT_EQ(
      read_error(edited(1, 0x10700)),
      "t.spv:0x4: error: SPIR-V version 1.7 is not one of 1.0 to 1.6 (the version word is 0x10700) [file-format]\n");
  EXPECT_EQ(read_error(edited(1, 0x00)),
            "t.spv:0x4: error: SPIR-V version 0.0 is not one of 1.0 to 1.6 (the version word is 0x0) [file-format]\n");
  EXPECT_EQ(read_error(edited(3, 0)), "t.spv:0xc: error: the id bound 0 is not between 1 and 4194304 [file-format]\n");
  EXPECT_EQ(read_error(edited(3, 0xffffffff)),
            "t.spv:0xc: error: the id bound 4294967295 is not between 1 and 4194304 [file-format]\n");
}

TEST(Module, BadWordCounts) {
  EXPECT_EQ(read_error(edited(5, 17)), "t.spv:0x14: error: an instruction with a word count of 0 [file-format]\n");
  EXPECT_EQ(read_error(edited(5, 0xffff0011)), "t.spv:0x14: error: an instruction of 65535 words, but only " +
                                                   std::to_string(words_of(kShader).size() - 5) +
                                                   " are left [file-truncated]\n");
  Words cut = words_of(kShader);
  cut.insert(cut.end(), 0x00020011);
  EXPECT_THAT(read_error(cut), testing::HasSubstr("an instruction of 2 words, but only 1 are left [file-truncated]"));
}

TEST(Module, BadOperands) {
  // More words than the instruction takes.
  EXPECT_EQ(read_error({spv::MagicNumber, kVersion16, 0, 1, 0, 0x00030011, 1, 1}),
            "t.spv:0x14: error: invalid SPIR-V: Invalid instruction OpCapability starting at word 5: expected no more "
            "operands after 2 words, but stated word count is 3. [file-format]\n");
  // An opcode that does not exist.
  EXPECT_EQ(read_error(edited(5, 0x0002ffff)),
            "t.spv:0x14: error: invalid SPIR-V: Invalid opcode: 65535 [file-format]\n");
  // A string without its end.
  const std::size_t name = offset_of(spv::Op::OpName);
  EXPECT_THAT(read_error(edited(name + 5, 0x41414141)), testing::HasSubstr("invalid SPIR-V: "));
  // An id beyond the bound, and an id that is defined twice.
  const std::size_t type = offset_of(spv::Op::OpTypeVoid);
  EXPECT_EQ(read_error(edited(type + 1, 4000)),
            formatted("t.spv:{:#x}: error: the id %4000 is not below the id bound 5 [index-out-of-range]\n", type * 4));
  const std::size_t function_type = offset_of(spv::Op::OpTypeFunction);
  EXPECT_THAT(read_error(edited(function_type + 1, words_of(kShader)[type + 1])),
              testing::HasSubstr("is defined more than once"));
}

TEST(Module, UnknownInstructionSets) {
  const std::string text = std::string("OpCapability Shader\n") + "%1 = OpExtInstImport \"NonSemantic.Foo!\"\n" +
                           "OpMemoryModel Logical GLSL450\n";
  Words words = words_of(text);
  // `NonSemantic.` sets may be unknown, others not.
  std::memcpy(&words[9], "Xon", 3);
  EXPECT_EQ(read_error(words),
            "t.spv:0x1c: error: Unsupported extended instruction set `XonSemantic.Foo!` [file-format]\n");
  words[6] = static_cast<std::uint32_t>(spv::Capability::GraphARM);
  EXPECT_EQ(read_error(words),
            "t.spv:0x1c: error: Unsupported graph extended instruction set `XonSemantic.Foo!` [file-format]\n");
}

}  // namespace
}  // namespace slipway::spirv
