// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "convert/convert.hpp"
#include "base/format.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>

#include "convert/testing.hpp"
#include "convert/verify.hpp"
#include "convert/write_model.hpp"
#include "spirv/tools.hpp"
#include "testing/operator_graphs.hpp"
#include "tosa/check/verify.hpp"
#include "tosa/text.hpp"
#include "vgf/check.hpp"
#include "vgf/read.hpp"

namespace slipway::convert {
namespace {

using ::testing::HasSubstr;
using testing::messages;
using testing::Program;

tosa::Model model_of(std::string text) {
  Diagnostics problems;
  tosa::Model model;
  model.file = "t.graph";
  auto graph = tosa::parse(make_source("t.graph", std::move(text)), problems);
  EXPECT_EQ(messages(problems), "");
  if (graph) model.graph = std::move(*graph);
  return model;
}

std::vector<std::byte> file_of(tosa::Model& model, const ConvertOptions& options = {}) {
  Diagnostics problems;
  auto converted = convert(model, options, problems);
  EXPECT_TRUE(converted) << messages(problems);
  if (!converted) return {};
  auto bytes = converted->file.finish();
  EXPECT_TRUE(bytes);
  return bytes.value_or(std::vector<std::byte>());
}

// The contents of a file as a short text: resources; segments with slots (logical id, resource); the model.
std::string listing(Bytes bytes) {
  Diagnostics problems;
  const auto file = vgf::read_vgf(bytes, "t.vgf", problems);
  if (!file) return messages(problems);
  vgf::check_vgf(*file, problems);
  std::string text;
  const auto slots = [](std::span<const vgf::Slot> list) {
    std::string all;
    for (const vgf::Slot& slot : list) all += formatted(" ({},{})", slot.binding, slot.resource);
    return all;
  };
  for (std::size_t i = 0; i < file->resources.size(); ++i) {
    const vgf::Resource& resource = file->resources[i];
    text += formatted("{} {} {} {} {}{}\n", i, vgf::name_of(resource.category),
                      resource.descriptor_type ? vk::name_of(*resource.descriptor_type).substr(19) : "-",
                      vk::name_of(resource.format).substr(10), tensor::shape_text(resource.shape),
                      resource.alias_group ? formatted(" alias {}", *resource.alias_group) : "");
  }
  for (const vgf::Segment& segment : file->segments) {
    text += formatted("{} `{}` in{} out{}", segment.name, file->modules[segment.module].name, slots(segment.inputs),
                      slots(segment.outputs));
    for (const vgf::DescriptorSet& set : segment.sets) text += formatted(" set {}:{}", set.index, slots(set.slots));
    for (const std::uint32_t constant : segment.constants) text += formatted(" constant {}", constant);
    if (segment.kind == vgf::ModuleKind::Compute)
      text += formatted(" dispatch {},{},{}", (*segment.dispatch)[0], (*segment.dispatch)[1], (*segment.dispatch)[2]);
    for (const vgf::PushConstantRange& range : segment.push_constants)
      text += formatted(" push {:#x},{},{}", range.stage_flags, range.offset, range.size);
    text += "\n";
  }
  text += formatted("inputs{} outputs{}", slots(file->inputs), slots(file->outputs));
  for (const std::string_view name : file->input_names) text += formatted(" {}", name);
  text += " ->";
  for (const std::string_view name : file->output_names) text += formatted(" {}", name);
  return text + "\n" + messages(problems);
}

std::string quoted(std::string text) {
  std::string out;
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out;
}

std::string use(std::string_view of, int binding, int set, std::string_view type, std::string_view format) {
  return formatted(
      ", \"{0}_binding\": {1}, \"{0}_descriptorset\": {2}, \"{0}_vkdescriptortype\": \"VK_DESCRIPTOR_TYPE_{3}\", "
      "\"{0}_vkformat\": \"VK_FORMAT_{4}\"",
      of, binding, set, type, format);
}

// The first worked example of docs/spec/converter.md#worked-example.
TEST(Convert, WorkedExample) {
  std::string table, attributes = "{\"entry_point\": \"main\", \"workgroup_sizes\": [1, 2, 3]";
  for (int i = 0; i < 256; ++i) table += formatted("{}{}", i ? ", " : "", i / 2);
  attributes += use("input_0", 5, 0, "TENSOR_ARM", "R8_SINT") + use("input_1", 6, 0, "STORAGE_BUFFER", "R8_SINT") +
                use("input_2", 0, 2, "STORAGE_BUFFER", "R8_SINT") + use("output_0", 7, 0, "STORAGE_IMAGE", "R8_UINT") +
                "}";
  tosa::Model model = model_of(formatted(R"(graph f {{
  %a = input i8[4]
  %b = input i8[4]
  %t = const i8[256] [{}]
  %u = const i8[4] [1, 2, 3, 4]
  %v0 = TABLE(%a, %t) i8[4]
  %v1 = CUSTOM(%v0, %u, %b) i8[4] domain="com.arm.VulkanCustomShader" name="shade" attributes="{}"
  %v2 = TABLE(%v1, %t) i8[4]
  %v3 = BITWISE_AND(%v2, %v0) i8[4]
  output %v3
  output %v1
}})",
                                         table, quoted(attributes)));
  model.input_names = {"a", "b"};
  model.output_names = {"o0", "o1"};
  EXPECT_EQ(
      listing(file_of(model)),
      "0 CONSTANT - R8_SINT [256]\n"
      "1 INPUT TENSOR_ARM R8_SINT [4]\n"
      "2 INPUT STORAGE_BUFFER R8_SINT [4]\n"
      "3 INTERMEDIATE TENSOR_ARM R8_SINT [4] alias 0\n"
      "4 INTERMEDIATE TENSOR_ARM R8_SINT [4]\n"
      "5 INTERMEDIATE STORAGE_BUFFER R8_SINT [4] alias 0\n"
      "6 INTERMEDIATE TENSOR_ARM R8_SINT [4] alias 1\n"
      "7 OUTPUT TENSOR_ARM R8_SINT [4]\n"
      "8 OUTPUT STORAGE_IMAGE R8_UINT [4] alias 1\n"
      "graph_segment_0 `graph_partition_0` in (0,1) out (2,3) (3,4) set 0: (0,1) (2,3) (3,4) constant 0\n"
      "compute_segment_0 `shade` in (1,2) (3,4) (2,5) out (4,8) set 0: (5,4) (6,5) (7,8) set 2: (0,2) dispatch 1,2,3\n"
      "graph_segment_1 `graph_partition_2` in (4,6) (3,4) out (5,7) set 0: (4,6) (3,4) (5,7) constant 0\n"
      "inputs (0,1) (1,2) outputs (5,7) (4,8) a b -> o0 o1\n");
}

// The second worked example there.
TEST(Convert, SecondWorkedExample) {
  const std::string attributes = "{\"entry_point\": \"main\", \"workgroup_sizes\": [4, 1, 1]" +
                                 use("input_0", 0, 0, "STORAGE_BUFFER", "R32_SFLOAT") +
                                 use("output_0", 1, 0, "STORAGE_BUFFER", "R32_SFLOAT") + "}";
  tosa::Model model = model_of(formatted(R"(graph main {{
  %x = input i8[1, 8, 8, 4]
  %y = input f32[4, 64]
  %w = const i8[4, 1, 1, 4] splat 1
  %b = const i32[4] [1, 2, 3, 4]
  %m = const i32[1] [1073741824]
  %s = const i8[1] [30]
  %0 = CONV2D(%x, %w, %b) i32[1, 8, 8, 4] pad=[0, 0, 0, 0] stride=[1, 1] dilation=[1, 1] acc_type=INT32 local_bound=false input_zp=0 weight_zp=0
  %1 = RESCALE(%0, %m, %s) i8[1, 8, 8, 4] scale32=true rounding_mode=SINGLE_ROUND per_channel=false input_unsigned=false output_unsigned=false input_zp=0 output_zp=0
  %2 = RESHAPE(%1) i8[1, 8, 8, 4] shape=[1, 8, 8, 4]
  %3 = MAXIMUM(%y, %y) f32[4, 64] nan_mode=IGNORE
  %4 = CUSTOM(%3) f32[4, 64] domain="com.arm.VulkanCustomShader" name="twice" attributes="{}"
  output %2
  output %4
}})",
                                         quoted(attributes)));
  model.input_names = {"x", "y"};
  model.output_names = {"o0", "o1"};
  EXPECT_EQ(listing(file_of(model)),
            "0 INPUT TENSOR_ARM R8_SINT [1, 8, 8, 4]\n"
            "1 INPUT TENSOR_ARM R32_SFLOAT [4, 64]\n"
            "2 INTERMEDIATE TENSOR_ARM R32_SFLOAT [4, 64] alias 0\n"
            "3 INTERMEDIATE STORAGE_BUFFER R32_SFLOAT [4, 64] alias 0\n"
            "4 OUTPUT TENSOR_ARM R8_SINT [1, 8, 8, 4]\n"
            "5 OUTPUT STORAGE_BUFFER R32_SFLOAT [4, 64]\n"
            "graph_segment_0 `graph_partition_0` in (0,0) (1,1) out (2,2) (3,4) set 0: (0,0) (1,1) (2,2) (3,4)\n"
            "compute_segment_0 `twice` in (2,3) out (4,5) set 0: (0,3) (1,5) dispatch 4,1,1\n"
            "inputs (0,0) (1,1) outputs (3,4) (4,5) x y -> o0 o1\n");
}

TEST(Convert, EveryOperatorAndTypeConvertsAndVerifies) {
  int count = 0;
  slipway::testing::for_each_operator_graph(
      [&](const tosa::OperatorInfo& info, const tosa::TypeRow& row, const tosa::Graph& graph) {
        if (info.set == tosa::InstructionSet::BlockScaled) return;  // their types are those of inputs here
        SCOPED_TRACE(formatted("{} {}", info.name, text_of(graph.values[0].type)));
        tosa::Model original;
        original.graph = graph;
        tosa::Model model = original;
        Diagnostics problems;
        auto converted = convert(model, {}, problems);
        ASSERT_TRUE(converted) << messages(problems);
        const auto bytes = converted->file.finish();
        ASSERT_TRUE(bytes);
        const auto file = vgf::read_vgf(*bytes, "t.vgf", problems);
        ASSERT_TRUE(file);
        vgf::check_vgf(*file, problems);
        for (const vgf::Module& module : file->modules) {
          const auto words =
              std::span(reinterpret_cast<const std::uint32_t*>(module.words.data()), module.words.size() / 4);
          EXPECT_TRUE(spirv::validate(words, "t.spv"));
        }
        if (row.enabled_by != "INT4") {  // which the file stores as bytes
          const VerifyReport report = verify(original, model, *converted, *file, {}, problems);
          EXPECT_EQ(report.runs, 3) << (report.compared.left_out.empty() ? "" : report.compared.left_out[0].reason);
        }
        EXPECT_EQ(messages(problems), "");
        ++count;
      });
  EXPECT_GT(count, 200);
}

// For any connections the file's segments compute what the model computes.
TEST(Convert, RandomMixedModelsVerify) {
  std::mt19937 random(3);
  for (int round = 0; round < 1000; ++round) {
    const std::string text = testing::random_program(random, 1 + random() % 12);
    SCOPED_TRACE(text);
    tosa::Model original;
    original.graph = Program(text).graph;
    tosa::Model model = original;
    ConvertOptions options;
    options.shader.check = ShaderCheck::Off;
    // Shaders are not compiled here, which would take too long.
    for (tosa::Node& node : model.graph.nodes) {
      if (!node.custom) continue;
      auto custom = *node.custom;
      const std::size_t code = custom.attributes.find(", \"shader_language\""),
                        end = custom.attributes.find(", \"input_0_vkformat\"");
      custom.attributes.erase(code, end - code);
      node.custom = std::make_shared<tosa::CustomOperator>(custom);
    }
    if (round % 2) options.order = PartitionOrder::Program;
    Diagnostics problems;
    auto converted = convert(model, options, problems);
    ASSERT_TRUE(converted) << messages(problems);
    const auto bytes = converted->file.finish();
    ASSERT_TRUE(bytes);
    const auto file = vgf::read_vgf(*bytes, "t.vgf", problems);
    ASSERT_TRUE(file) << messages(problems);
    vgf::check_vgf(*file, problems);
    const VerifyReport report = verify(original, model, *converted, *file, {}, problems);
    ASSERT_EQ(report.runs, 3);
    ASSERT_EQ(messages(problems), "");
  }
}

TEST(Convert, ConversionIsDeterministic) {
  std::mt19937 random(5);
  const std::string text = testing::random_program(random, 8);
  std::vector<std::byte> first;
  for (int i = 0; i < 3; ++i) {
    tosa::Model model;
    model.graph = Program(text).graph;
    const std::vector<std::byte> bytes = file_of(model);
    if (i == 0) first = bytes;
    EXPECT_EQ(bytes, first);
  }
}

TEST(Convert, UnusedInputsReturnedInputsAndConstants) {
  tosa::Model model = model_of(
      "graph m {\n%0 = input f32[2]\n%1 = input f32[3]\n%2 = const f32[2] [1, 2]\n"
      "%3 = ABS(%0) f32[2]\noutput %3\noutput %0\noutput %2\noutput %3\n}");
  EXPECT_EQ(
      listing(file_of(model)),
      "0 INPUT TENSOR_ARM R32_SFLOAT [2] alias 0\n"
      "1 INPUT TENSOR_ARM R32_SFLOAT [3]\n"
      "2 OUTPUT TENSOR_ARM R32_SFLOAT [2]\n"
      "3 OUTPUT TENSOR_ARM R32_SFLOAT [2] alias 0\n"
      "4 OUTPUT TENSOR_ARM R32_SFLOAT [2]\n"
      "graph_segment_0 `graph_partition_0` in (0,0) (1,1) out (2,2) (3,4) set 0: (0,0) (1,1) (2,2) (3,4)\n"
      "inputs (0,0) (1,1) outputs (2,2) (0,3) (3,4) (2,2) input_0 input_1 -> output_0 output_1 output_2 output_3\n");
}

TEST(Convert, AModelWithoutOperatorsPassesOn) {
  tosa::Model model =
      model_of("graph m {\n%0 = input f32[2]\n%1 = input f32[3]\n%2 = const f32[2] [1, 2]\noutput %1\noutput %2\n}");
  EXPECT_EQ(listing(file_of(model)),
            "0 INPUT TENSOR_ARM R32_SFLOAT [2]\n"
            "1 INPUT TENSOR_ARM R32_SFLOAT [3]\n"
            "2 OUTPUT TENSOR_ARM R32_SFLOAT [3]\n"
            "3 OUTPUT TENSOR_ARM R32_SFLOAT [2]\n"
            "graph_segment_0 `graph_partition_0` in (1,1) out (2,2) (3,3) set 0: (1,1) (2,2) (3,3)\n"
            "inputs (0,0) (1,1) outputs (2,2) (3,3) input_0 input_1 -> output_0 output_1\n");
}

TEST(Convert, ATensorTwiceAnUnusedResultAndPushConstants) {
  const std::string attributes =
      "{\"entry_point\": \"main\", \"workgroup_sizes\": [1, 1, 1], \"push_constants\": \"a: 4, b: 16\"" +
      use("input_0", 0, 0, "STORAGE_BUFFER", "R32_SFLOAT") + use("input_1", 3, 1, "STORAGE_BUFFER", "R32_SFLOAT") +
      use("output_0", 1, 0, "STORAGE_BUFFER", "R32_SFLOAT") + use("output_1", 2, 0, "STORAGE_BUFFER", "R32_SFLOAT") +
      "}";
  tosa::Model model =
      model_of(formatted("graph m {{\n%0 = input f32[2]\n%1, %2 = CUSTOM(%0, %0) f32[2], f32[2] "
                         "domain=\"com.arm.VulkanCustomShader\" name=\"\" attributes=\"{}\"\noutput %1\n}}",
                         quoted(attributes)));
  EXPECT_EQ(listing(file_of(model)),
            "0 INPUT STORAGE_BUFFER R32_SFLOAT [2]\n"
            "1 INTERMEDIATE STORAGE_BUFFER R32_SFLOAT [2]\n"
            "2 OUTPUT STORAGE_BUFFER R32_SFLOAT [2]\n"
            "compute_segment_0 `graph_partition_0` in (0,0) out (1,1) (2,2) set 0: (0,0) (2,1) (1,2) set 1: (3,0) "
            "dispatch 1,1,1 push 0x20,0,32\n"
            "inputs (0,0) outputs (2,2) input_0 -> output_0\n");
}

TEST(Convert, UnsignedInputsAndOutputsHaveUnsignedFormats) {
  tosa::Model model = model_of(
      "graph m {\n%0 = input i8[4]\n%1 = const i32[1] [1073741824]\n%2 = const i8[1] [30]\n"
      "%3 = RESCALE(%0, %1, %2) i8[4] scale32=true rounding_mode=SINGLE_ROUND per_channel=false input_unsigned=true "
      "output_unsigned=false input_zp=-128 output_zp=0\n"
      "%4 = RESCALE(%3, %1, %2) i8[4] scale32=true rounding_mode=SINGLE_ROUND per_channel=false input_unsigned=false "
      "output_unsigned=true input_zp=0 output_zp=-128\noutput %4\noutput %3\n}");
  EXPECT_THAT(listing(file_of(model)), HasSubstr("0 INPUT TENSOR_ARM R8_UINT [4]\n1 OUTPUT TENSOR_ARM R8_UINT [4]\n"
                                                 "2 OUTPUT TENSOR_ARM R8_SINT [4]\n"));
}

TEST(Convert, ConstantsKeepTheirBytes) {
  tosa::Model model = model_of(
      "graph m {\n%0 = input bool[17]\n%1 = input i48[17]\n"
      "%2 = const bool[17] [true, false, true, true, true, true, true, true, true, true, true, true, true, true, true, "
      "true, false]\n"
      "%3 = const bool[20] splat true\n%4 = const i8[3, 2, 2, 4] splat 0\n%5 = LOGICAL_AND(%0, %2) bool[17]\n"
      "%6 = input i8[1, 4, 4, 4]\n%7 = const i32[3] [1, 2, 3]\n"
      "%8 = CONV2D(%6, %4, %7) i32[1, 3, 3, 3] pad=[0, 0, 0, 0] stride=[1, 1] dilation=[1, 1] acc_type=INT32 "
      "local_bound=false "
      "input_zp=0 weight_zp=0\noutput %5\noutput %3\noutput %8\n}");
  const auto bytes = file_of(model);
  Diagnostics problems;
  const auto file = vgf::read_vgf(bytes, "t.vgf", problems);
  ASSERT_TRUE(file);
  ASSERT_EQ(file->constants.size(), 3u);
  EXPECT_EQ(file->constants[0].data[0], std::byte{0xff});
  EXPECT_EQ(file->constants[0].data[1], std::byte{0});
  EXPECT_EQ(file->constants[1].data.size(), 20u);
  EXPECT_TRUE(std::ranges::all_of(file->constants[1].data, [](std::byte b) { return b == std::byte{0xff}; }));
  EXPECT_EQ(file->constants[1].sparsity, -1);
  EXPECT_EQ(file->constants[2].sparsity, 3);
}

// 16 GiB of equal elements are a few words of the module.
TEST(Convert, LargeSplatsAreNotExpanded) {
  const std::string text =
      "graph main {\n  %0 = input f32[65536, 65536]\n  %1 = const f32[65536, 65536] splat 1.5\n"
      "  %2 = ADD(%0, %1) f32[65536, 65536]\n  output %2\n}\n";
  tosa::Model model = model_of(text);
  const std::vector<std::byte> file = file_of(model);
  EXPECT_LT(file.size(), 4096u);
  EXPECT_THAT(listing(file), ::testing::Not(HasSubstr("CONSTANT")));
  Diagnostics problems;
  const auto read = vgf::read_vgf(file, "t.vgf", problems);
  ASSERT_TRUE(read) << messages(problems);
  const auto& words = read->modules.at(0).words;
  std::vector<std::uint32_t> code(words.size() / 4);
  std::memcpy(code.data(), words.data(), words.size());
  constexpr std::uint32_t kReplicate = 4461;  // OpConstantCompositeReplicateEXT
  EXPECT_TRUE(std::ranges::any_of(code, [](std::uint32_t word) { return (word & 0xffff) == kReplicate; }));
  tosa::Model small = model_of(
      "graph main {\n  %0 = input f32[64]\n  %1 = const f32[64] splat 1.5\n"
      "  %2 = ADD(%0, %1) f32[64]\n  output %2\n}\n");
  EXPECT_THAT(listing(file_of(small)), HasSubstr("CONSTANT"));
}

TEST(Convert, SimplifyingMergesFoldsAndDrops) {
  tosa::Model model = model_of(
      "graph m {\n%0 = input f32[2, 3]\n%1 = const f32[2, 3] [1, 2, 3, 4, 5, 6]\n%2 = const f32[2, 3] [1, 2, 3, 4, 5, "
      "6]\n"
      "%3 = const f32[3, 2] [1, 4, 2, 5, 3, 6]\n%4 = TRANSPOSE(%3) f32[2, 3] perms=[1, 0]\n%5 = ADD(%0, %1) f32[2, 3]\n"
      "%6 = ADD(%5, %2) f32[2, 3]\n%7 = ADD(%6, %4) f32[2, 3]\n%8 = EXP(%7) f32[2, 3]\noutput %7\n}");
  tosa::Model kept = model;
  Diagnostics problems;
  ASSERT_TRUE(prepare(model, {}, problems));
  EXPECT_EQ(tosa::print(model.graph),
            "graph m {\n  %0 = input f32[2, 3]\n  %1 = const f32[2, 3] [1, 2, 3, 4, 5, 6]\n"
            "  %2 = ADD(%0, %1) f32[2, 3]\n  %3 = ADD(%2, %1) f32[2, 3]\n"
            "  %4 = ADD(%3, %1) f32[2, 3]\n  output %4\n}\n");
  ConvertOptions options;
  options.simplify.fold = false;
  ASSERT_TRUE(prepare(kept, options, problems));
  EXPECT_THAT(tosa::print(kept.graph), HasSubstr("TRANSPOSE"));
}

// The bytes of large transposed weights are made when the file is written; the file is the same.
TEST(Convert, TransposesOfLargeConstantsAreDeferred) {
  for (const bool is_sparse : {false, true}) {
    tosa::Model model = model_of(
        "graph m {\n%0 = input i8[1, 32, 32, 16]\n%1 = const i8[64, 16, 32, 32] splat 1\n%2 = const i32[64] splat 3\n"
        "%3 = TRANSPOSE(%1) i8[64, 32, 32, 16] perms=[0, 2, 3, 1]\n"
        "%4 = CONV2D(%0, %3, %2) i32[1, 1, 1, 64] pad=[0, 0, 0, 0] stride=[1, 1] dilation=[1, 1] acc_type=INT32 "
        "local_bound=false input_zp=0 weight_zp=0\noutput %4\n}");
    std::vector<std::byte> weights(std::size_t{64} * 16 * 32 * 32);
    for (std::size_t i = 0; i < weights.size(); ++i) {
      const std::size_t channel = i / (32 * 32) % 16;
      weights[i] = static_cast<std::byte>(is_sparse && channel % 4 > 1 ? 0 : 1 + i % 101);
    }
    model.graph.constants[0].data = weights;
    model.graph.constants[0].splat = false;
    tosa::Model eager = model, kept = model;
    const std::vector<std::byte> expected = file_of(eager);
    EXPECT_EQ(file_of(model, {.simplify = {.defers_transposes = true}}), expected);
    EXPECT_EQ(model.graph.nodes.size(), 1u);
    EXPECT_TRUE(model.graph.constants[0].data.empty());
    Diagnostics problems;
    const auto file = vgf::read_vgf(expected, "t.vgf", problems);
    ASSERT_TRUE(file) << messages(problems);
    EXPECT_EQ(file->constants[0].sparsity, is_sparse ? 3 : -1);
    // Without folding the operator stays.
    EXPECT_GT(file_of(kept, {.simplify = {.fold = false, .defers_transposes = true}}).size(), weights.size());
    EXPECT_EQ(kept.graph.nodes.size(), 2u);
  }
}

constexpr std::string_view kFloats =
    "graph m {\n%0 = input f32[1, 4, 4, 1]\n%1 = const f32[1, 1, 1, 1] [0.1]\n%2 = const f32[1] [1]\n"
    "%3 = CONV2D(%0, %1, %2) f32[1, 4, 4, 1] pad=[0, 0, 0, 0] stride=[1, 1] dilation=[1, 1] acc_type=FP32 "
    "local_bound=false "
    "input_zp=0 weight_zp=0\n%4 = RESHAPE(%3) f32[1, 4, 4] shape=[1, 4, 4]\n%5, %6 = RFFT2D(%4) f32[1, 4, 3], f32[1, "
    "4, 3] "
    "local_bound=false\n%7 = CLAMP(%5) f32[1, 4, 3] min_val=-1e30 max_val=6 nan_mode=PROPAGATE\noutput %7\noutput "
    "%6\n}";

std::string narrowed(std::string_view text, TypeNarrowing mode, bool allow_overflow = false) {
  tosa::Model model = model_of(std::string(text));
  ConvertOptions options;
  options.narrow = {mode, allow_overflow};
  Diagnostics problems;
  if (!prepare(model, options, problems)) return messages(problems);
  tosa::verify(model.graph, problems);
  return messages(problems) + tosa::print(model.graph);
}

TEST(Convert, NarrowingHandlesEachOperator) {
  EXPECT_EQ(
      narrowed(kFloats, TypeNarrowing::Full),
      "graph m {\n  %0 = input f16[1, 4, 4, 1]\n  %1 = const f16[1, 1, 1, 1] [0.1]\n  %2 = const f16[1] [1]\n"
      "  %3 = CONV2D(%0, %1, %2) f16[1, 4, 4, 1] pad=[0, 0, 0, 0] stride=[1, 1] dilation=[1, 1] acc_type=FP16 "
      "local_bound=false input_zp=0 weight_zp=0\n  %4 = RESHAPE(%3) f16[1, 4, 4] shape=[1, 4, 4]\n"
      "  %5 = CAST(%4) f32[1, 4, 4]\n  %6, %7 = RFFT2D(%5) f32[1, 4, 3], f32[1, 4, 3] local_bound=false\n"
      "  %8 = CAST(%6) f16[1, 4, 3]\n  %9 = CAST(%7) f16[1, 4, 3]\n"
      "  %10 = CLAMP(%8) f16[1, 4, 3] min_val=-65504 max_val=6 nan_mode=PROPAGATE\n  output %10\n  output %9\n}\n");
  EXPECT_THAT(narrowed(kFloats, TypeNarrowing::Partial), HasSubstr("acc_type=FP32"));
  const std::string kept = narrowed(kFloats, TypeNarrowing::FullPreserveIo);
  EXPECT_THAT(kept, HasSubstr("%0 = input f32[1, 4, 4, 1]\n"));
  EXPECT_THAT(kept, HasSubstr("CAST(%0) f16[1, 4, 4, 1]"));
}

TEST(Convert, NarrowingRejectsValuesOutOfRange) {
  const std::string text =
      "graph m {\n%0 = input f32[3]\n%1 = const f32[3] [1, 70000, -1e30] \"w\"\n%2 = ADD(%0, %1) f32[3]\noutput %2\n}";
  EXPECT_EQ(narrowed(text, TypeNarrowing::Full),
            "error: constant `w` f32[3]: 2 elements beyond the range of float16; the first is 70000 at [1]; "
            "`--allow-overflow` makes infinities of them [out-of-range]\n");
  EXPECT_THAT(narrowed(text, TypeNarrowing::Full, true), HasSubstr("[1, inf, -inf]"));
}

TEST(Convert, VerificationFindsADifference) {
  tosa::Model original =
      model_of("graph m {\n%0 = input i32[2]\n%1 = const i32[2] [1, 2]\n%2 = ADD(%0, %1) i32[2] \"sum\"\noutput %2\n}");
  tosa::Model model = original;
  Diagnostics problems;
  auto converted = convert(model, {}, problems);
  ASSERT_TRUE(converted);
  const auto bytes = converted->file.finish();
  const auto file = vgf::read_vgf(*bytes, "t.vgf", problems);
  tosa::Model other =
      model_of("graph m {\n%0 = input i32[2]\n%1 = const i32[2] [1, 3]\n%2 = ADD(%0, %1) i32[2] \"sum\"\noutput %2\n}");
  verify(other, other, *converted, *file, {}, problems);
  EXPECT_EQ(messages(problems),
            "t.vgf: error: verification: on zeros, segment `graph_segment_0`: ADD `sum` differs first: "
            "element 1 of i32[2] is 2, and the model returns 3 [expectation-failed]\n");
}

TEST(Convert, StaticShapesCanBeRequired) {
  tosa::Model model = model_of("graph m {\n%0 = input f32[-1, 2] \"x\"\n%1 = ABS(%0) f32[-1, 2]\noutput %1\n}");
  ConvertOptions options;
  options.require_static_shape = true;
  Diagnostics problems;
  EXPECT_FALSE(convert(model, options, problems));
  EXPECT_EQ(messages(problems),
            "t.graph: error: input 0 `x` has the type f32[-1, 2]; every dimension must be known [shape-mismatch]\n"
            "t.graph: warning: 1 tensor inside the model has unknown dimensions: f32[-1, 2] [shape-mismatch]\n");
}

TEST(Convert, WriteModelIsShort) {
  tosa::Graph graph;
  graph.name = "main";
  const auto x = graph.add_input({tosa::DataType::F32, {2}}, "x");
  const auto y = graph.add(tosa::Op::ABS, {x}, {}, {tosa::DataType::F32, {2}});
  graph[y].name = "y";
  graph.outputs = {y};
  const auto bytes = write_model(graph);
  ASSERT_TRUE(bytes);
  EXPECT_THAT(listing(*bytes), HasSubstr("inputs (0,0) outputs (1,1) x -> y\n"));
}

}  // namespace
}  // namespace slipway::convert
