// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "base/system/files.hpp"
#include "executorch/describe.hpp"
#include "executorch/testing.hpp"
#include "testing/messages.hpp"
#include "testing/source_directory.hpp"

namespace slipway::executorch {
namespace {

using ::testing::ElementsAre, ::testing::HasSubstr;

std::vector<std::byte> file_of(const std::string& name) {
  const auto file = map_file(slipway::testing::source_directory() / name);
  EXPECT_TRUE(file.has_value()) << name;
  return file ? std::vector(file->bytes().begin(), file->bytes().end()) : std::vector<std::byte>();
}
std::vector<std::byte> vgf_payload() { return file_of("tests/data/models/conv2d_rescale_unsigned.vgf"); }

// One delegate, which computes all.
TestProgram whole_program() {
  TestProgram program;
  auto& forward = program.method("forward", {{1, 16, 16, 16}}, {{1, 8, 8, 16}});
  TestProgram::delegate(forward, "VgfBackend", program.segment(vgf_payload()),
                        {{"tosa_spec", "TOSA-1.0+INT"}, {"mask", std::string("\0\xff", 2)}});
  TestProgram::call_delegate(forward, 0, {0, 1});
  return program;
}

// Two methods. The first computes more than its two delegates, of which one has data in the tables.
TestProgram mixed_program() {
  TestProgram program;
  auto& forward = program.method("forward", {{1, 4}}, {{1, 4}});
  TestProgram::delegate(forward, "XnnpackBackend", program.inline_data({1, 2, 3}));
  TestProgram::delegate(forward, "VgfBackend", program.segment(vgf_payload()));
  TestProgram::call_operator(forward, "aten::add", "out");
  TestProgram::call_delegate(forward, 0, {0, 1});
  TestProgram::call_delegate(forward, 1, {0, 1});
  TestProgram::instruction(forward).arguments.Set(fb::MoveCallT());
  TestProgram::instruction(forward).arguments.Set(fb::JumpFalseCallT());
  TestProgram::instruction(forward).arguments.Set(fb::FreeCallT());
  auto& encode = program.method("encode", {{2}, {}}, {{2}});
  TestProgram::delegate(encode, "TOSABackend", program.segment(file_of("tests/fuzz/corpus/tosa_fuzz/conv.tosa")));
  TestProgram::call_delegate(encode, 0, {1, 0, 2});
  return program;
}

std::string errors_of(TestProgram program) {
  Diagnostics diagnostics;
  EXPECT_FALSE(read_program(program.bytes(), "net.pte", diagnostics).has_value());
  return slipway::testing::messages(diagnostics);
}

TEST(ReadProgram, Describes) {
  const std::vector<std::byte> bytes = whole_program().bytes();
  Diagnostics diagnostics;
  const auto program = read_program(bytes, "net.pte", diagnostics);
  ASSERT_TRUE(program) << slipway::testing::messages(diagnostics);
  const Delegate& delegate = program->methods.at(0).delegates.at(0);
  EXPECT_EQ(delegate.offset % TestProgram::kSegmentAlignment, 0u);
  EXPECT_TRUE(std::ranges::equal(delegate.payload, vgf_payload()));
  EXPECT_EQ(describe(*program), formatted("net.pte: ExecuTorch program, version 0, 1 method, 1 segment\n"
                                          "method `forward`: all of it is delegate 0\n"
                                          "  input 0: float32 [1, 16, 16, 16]\n"
                                          "  output 0: float32 [1, 8, 8, 16]\n"
                                          "  delegate 0 `VgfBackend`: 1 call, 2432 bytes at {:#x}, vgf\n"
                                          "    `tosa_spec`: TOSA-1.0+INT\n"
                                          "    `mask`: 2 bytes\n",
                                          delegate.offset));
}

TEST(ReadProgram, DescribesWhatIsNotDelegated) {
  const std::vector<std::byte> bytes = mixed_program().bytes();
  Diagnostics diagnostics;
  const auto program = read_program(bytes, "net.pte", diagnostics);
  ASSERT_TRUE(program) << slipway::testing::messages(diagnostics);
  const Method& forward = program->methods.at(0);
  EXPECT_EQ(forward.only_delegate, std::nullopt);
  EXPECT_TRUE(forward.delegates.at(0).is_inline);
  EXPECT_THAT(forward.delegates.at(0).payload, ElementsAre(std::byte{1}, std::byte{2}, std::byte{3}));
  EXPECT_EQ(bytes[forward.delegates.at(0).offset], std::byte{1});
  EXPECT_EQ(forward.operators.at(0).name, "aten::add.out");
  EXPECT_EQ(forward.operators.at(0).calls, 1u);
  EXPECT_EQ(forward.moves, 1u);
  EXPECT_EQ(forward.branches, 1u);
  EXPECT_EQ(program->methods.at(1).only_delegate, 0u);
  EXPECT_EQ(name_of(format_of(program->methods.at(1).delegates.at(0))), "tosa");
  EXPECT_THAT(describe(*program), HasSubstr("  operator `aten::add.out`: 1 call\n  1 move, 1 branch\n"));
}

TEST(ReadProgram, OnlyADelegateOfTheInterfaceIsTheWholeMethod) {
  TestProgram program = whole_program();
  fb::ExecutionPlanT& forward = *program.tables.execution_plan.front();
  TestProgram::tensor(forward, {1});  // not an input: a constant of the program
  forward.chains.front()->instructions.front()->arguments.AsDelegateCall()->args = {0, 2, 1};
  Diagnostics diagnostics;
  EXPECT_EQ(find_model(program.bytes(), "net.pte", "", diagnostics), std::nullopt);
  EXPECT_EQ(slipway::testing::messages(diagnostics),
            "method `forward` computes more than its model, delegate 0: values of the program that are not its inputs; "
            "`--entry forward:0` takes the model alone [unsupported]\n");
}

TEST(FindModel, TakesTheModelOfAProgram) {
  const std::vector<std::byte> bytes = whole_program().bytes();
  for (const std::string which : {"", "forward", "forward:0"}) {
    Diagnostics diagnostics;
    const auto model = find_model(bytes, "net.pte", which, diagnostics);
    ASSERT_TRUE(model) << slipway::testing::messages(diagnostics);
    EXPECT_EQ(model->name, "net.pte[forward:0]");
    EXPECT_TRUE(std::ranges::equal(model->bytes, vgf_payload()));
  }
}

TEST(FindModel, NamesWhatElseThereIs) {
  const std::vector<std::byte> bytes = mixed_program().bytes();
  const auto refusal = [&](const std::string& which) {
    Diagnostics diagnostics;
    EXPECT_FALSE(find_model(bytes, "net.pte", which, diagnostics).has_value());
    return slipway::testing::messages(diagnostics);
  };
  EXPECT_EQ(refusal(""), "the program has 2 models: `forward:1`, `encode:0`; `--entry forward:1` takes one [usage]\n");
  EXPECT_EQ(
      refusal("forward"),
      "method `forward` computes more than its model, delegate 1: 1 x delegate 0 (`XnnpackBackend`), 1 x delegate "
      "1 (`VgfBackend`), 1 x `aten::add.out`, 1 x a move of a value, 1 x a branch; `--entry forward:1` takes the "
      "model alone [unsupported]\n");
  EXPECT_EQ(refusal("forward:0"),
            "the program has no model `forward:0`; it has `forward:1`, `encode:0` [unknown-reference]\n");
  Diagnostics diagnostics;
  EXPECT_TRUE(find_model(bytes, "net.pte", "forward:1", diagnostics).has_value());
  EXPECT_TRUE(find_model(bytes, "net.pte", "encode", diagnostics).has_value());
}

TEST(FindModel, NamesOtherBackEnds) {
  TestProgram program;
  auto& forward = program.method("forward", {{1}}, {{1}});
  TestProgram::delegate(forward, "XnnpackBackend", program.inline_data({1}));
  Diagnostics diagnostics;
  EXPECT_FALSE(find_model(program.bytes(), "net.pte", "", diagnostics).has_value());
  EXPECT_EQ(slipway::testing::messages(diagnostics),
            "the program has no VGF or TOSA model: it delegates to `XnnpackBackend` [unsupported]\n");
  EXPECT_EQ(diagnostics.all().front().notes.size(), 1u);
}

TEST(ReadProgram, RefusesDamage) {
  {
    std::vector<std::byte> bytes = whole_program().bytes();
    bytes[7] = std::byte{'3'};
    Diagnostics diagnostics;
    EXPECT_FALSE(read_program(bytes, "net.pte", diagnostics).has_value());
    EXPECT_EQ(slipway::testing::messages(diagnostics),
              "the ExecuTorch program has the identifier `ET13`; supported is `ET12` [unsupported]\n");
  }
  {
    TestProgram program = whole_program();
    program.header_length = 20;
    EXPECT_EQ(errors_of(std::move(program)), "the header has 20 bytes; it needs at least 24 [file-format]\n");
  }
  {
    TestProgram program = whole_program();
    program.tables.execution_plan.front()->delegates.front()->processed->index = 7;
    EXPECT_EQ(errors_of(std::move(program)),
              "delegate 0 (`VgfBackend`) of method `forward` has its payload in segment 7; the program has 1 "
              "[unknown-reference]\n");
  }
  {
    TestProgram program = whole_program();
    program.tables.execution_plan.front()->delegates.front()->processed->location = fb::DataLocation::INLINE;
    EXPECT_EQ(errors_of(std::move(program)),
              "delegate 0 (`VgfBackend`) of method `forward` has its payload in inline data 0; the program has 0 "
              "[unknown-reference]\n");
  }
  {
    TestProgram program = whole_program();
    program.tables.execution_plan.front()->outputs = {-1};
    EXPECT_EQ(errors_of(std::move(program)),
              "output 0 of method `forward` is value -1; the method has 2 values [unknown-reference]\n");
  }
  {
    TestProgram program = whole_program();
    TestProgram::call_delegate(*program.tables.execution_plan.front(), 4, {});
    EXPECT_EQ(errors_of(std::move(program)),
              "an instruction of method `forward` calls delegate 4; the method has 1 [unknown-reference]\n");
  }
  EXPECT_EQ(errors_of({}), "the program has no methods [file-format]\n");
}

TEST(ReadProgram, RefusesTruncatedFiles) {
  const std::vector<std::byte> bytes = whole_program().bytes();
  Diagnostics diagnostics;
  const auto whole = read_program(bytes, "net.pte", diagnostics);
  ASSERT_TRUE(whole);
  const std::size_t needed = whole->segments.front().offset + whole->segments.front().size;
  for (std::size_t size = 0; size < needed; size += 7) {
    Diagnostics problems;
    EXPECT_FALSE(read_program(Bytes(bytes).first(size), "net.pte", problems).has_value()) << size;
    EXPECT_TRUE(problems.has_errors()) << size;
  }
}

// A list that all methods share makes the work of a small file quadratic.
TEST(ReadProgram, LimitsListsThatAreUsedManyTimes) {
  constexpr int kMethods = 400, kInputs = 400;
  flatbuffers::FlatBufferBuilder builder;
  const auto value = fb::CreateEValue(builder);
  const auto values = builder.CreateVector(std::vector{value});
  const auto inputs = builder.CreateVector(std::vector<std::int32_t>(kInputs, 0));
  std::vector<flatbuffers::Offset<fb::ExecutionPlan>> plans;
  for (int i = 0; i < kMethods; ++i) {
    fb::ExecutionPlanBuilder plan(builder);
    plan.add_values(values);
    plan.add_inputs(inputs);
    plans.push_back(plan.Finish());
  }
  const auto list = builder.CreateVector(plans);
  builder.Finish(fb::CreateProgram(builder, 0, list), "ET12");
  Diagnostics diagnostics;
  const Bytes bytes = std::as_bytes(std::span(builder.GetBufferPointer(), builder.GetSize()));
  EXPECT_FALSE(read_program(bytes, "net.pte", diagnostics).has_value());
  EXPECT_EQ(slipway::testing::messages(diagnostics),
            "the lists of the program are used too many times [out-of-range]\n");
}

// The files of the fuzzer, with which pages show the verbs. With SLIPWAY_UPDATE_CORPUS they are written.
TEST(ReadProgram, CorpusIsWhatTheWriterWrites) {
  const auto check = [](const std::string& name, const std::vector<std::byte>& wanted) {
    const std::string path = "tests/fuzz/corpus/executorch_fuzz/" + name;
    if (std::getenv("SLIPWAY_UPDATE_CORPUS")) {
      EXPECT_TRUE(write_file(slipway::testing::source_directory() / path, Bytes(wanted)).has_value());
    }
    EXPECT_TRUE(file_of(path) == wanted) << path;
  };
  check("whole.pte", whole_program().bytes());
  check("mixed.pte", mixed_program().bytes());
}

}  // namespace
}  // namespace slipway::executorch
