// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "convert/passes/rematerialize.hpp"
#include "base/format.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "convert/convert.hpp"
#include "convert/testing.hpp"
#include "convert/verify.hpp"
#include "tosa/text.hpp"
#include "vgf/read.hpp"

namespace slipway::convert {
namespace {

// `wide(%x)` is a RESCALE of %x to i32, `shade(%x)` for a shader on i32, `kept(%x)` for one on i8.
std::string expanded(std::string text) {
  const auto replace = [&](std::string_view word, std::string_view open, std::string_view close) {
    for (std::size_t at = text.find(word); at != text.npos; at = text.find(word, at + 1)) {
      const std::size_t end = text.find(')', at);
      text.replace(end, 1, close);
      text.replace(at, word.size(), open);
    }
  };
  replace("wide(", "RESCALE(",
          ", %m, %s) i32[4] scale32=true rounding_mode=SINGLE_ROUND per_channel=false input_unsigned=false "
          "output_unsigned=false input_zp=0 output_zp=0");
  replace("half(", "RESCALE(",
          ", %m, %s) i16[4] scale32=true rounding_mode=SINGLE_ROUND per_channel=false input_unsigned=false "
          "output_unsigned=false input_zp=0 output_zp=0");
  const auto shader = [](std::string_view type, std::string_view format) {
    std::string attributes = "{\\\"entry_point\\\": \\\"main\\\", \\\"workgroup_sizes\\\": [1, 1, 1]";
    for (const std::string_view tensor : {"input_0", "output_0"}) {
      attributes += formatted(
          ", \\\"{0}_vkformat\\\": \\\"VK_FORMAT_{1}\\\", \\\"{0}_vkdescriptortype\\\": "
          "\\\"VK_DESCRIPTOR_TYPE_STORAGE_BUFFER\\\", \\\"{0}_descriptorset\\\": 0, \\\"{0}_binding\\\": {2}",
          tensor, format, tensor == "input_0" ? 0 : 1);
    }
    return formatted(") {}[4] domain=\"com.arm.VulkanCustomShader\" name=\"s\" attributes=\"{}}}\"", type, attributes);
  };
  replace("shade(", "CUSTOM(", shader("i32", "R32_SINT"));
  replace("kept(", "CUSTOM(", shader("i8", "R8_SINT"));
  return "graph main {\n  %x = input i8[4]\n  %m = const i32[1] [1073741824]\n  %s = const i8[1] [30]\n" + text + "}\n";
}

// Operators of each partition.
std::string partitions(const tosa::Graph& graph, const Partitioning& made) {
  std::string text;
  for (std::uint32_t p = 0; p < made.kinds.size(); ++p) {
    text += formatted("{}{}:", p ? " | " : "", p);
    for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
      if (made.of_node[i] == p) text += formatted(" {}", name_of(graph.nodes[i].op));
    }
  }
  return text;
}

struct Made {
  tosa::Model original, model;
  std::string before, after;
};

Made make(std::string text) {
  Made made;
  Diagnostics problems;
  auto graph = tosa::parse(make_source("t.graph", expanded(std::move(text))), problems);
  EXPECT_EQ(testing::messages(problems), "");
  if (!graph) return made;
  made.original.graph = made.model.graph = std::move(*graph);
  tosa::Graph& changed = made.model.graph;
  std::vector<bool> shaders;
  for (const tosa::Node& node : changed.nodes) shaders.push_back(is_shader(node));
  Partitioning partitioning = partition(changed, shaders);
  made.before = partitions(changed, partitioning);
  const std::vector<std::uint32_t> moved = rematerialize_rescale(changed, partitioning);
  made.after = partitions(changed, partitioning);
  for (std::size_t i = 0; i < moved.size(); ++i) {
    if (moved[i] != kGone) {
      EXPECT_EQ(changed.nodes[moved[i]].op, made.original.graph.nodes[i].op);
    }
  }
  // The complete conversion, checked with the interpreter.
  tosa::Model model = made.original;
  ConvertOptions options;
  options.rematerialize_rescale = true;
  auto converted = convert(model, options, problems);
  EXPECT_TRUE(converted) << testing::messages(problems);
  if (!converted) return made;
  const auto bytes = converted->file.finish();
  const auto file = vgf::read_vgf(*bytes, "t.vgf", problems);
  EXPECT_EQ(verify(made.original, model, *converted, *file, {}, problems).runs, 3);
  EXPECT_EQ(testing::messages(problems), "");
  return made;
}

TEST(RematerializeRescale, NarrowTensorsCrossSegments) {
  const Made made = make(
      "  %a = BITWISE_NOT(%x) i8[4]\n  %w = wide(%a)\n  %k = kept(%a)\n  %v = wide(%k)\n  %r = ADD(%w, %v) i32[4]\n  "
      "output "
      "%r\n");
  EXPECT_EQ(made.before, "0: BITWISE_NOT RESCALE | 1: CUSTOM | 2: RESCALE ADD");
  EXPECT_EQ(made.after, "0: BITWISE_NOT | 1: CUSTOM | 2: RESCALE RESCALE ADD");
}

TEST(RematerializeRescale, ResultsUsedInTheirPartitionStay) {
  // Used by an operator of the same partition, by a shader, and as an output.
  EXPECT_EQ(make("  %w = wide(%x)\n  %b = ABS(%w) i32[4]\n  %k = kept(%x)\n  %v = wide(%k)\n  %r = ADD(%w, %v) i32[4]\n"
                 "  output %r\n  output %b\n")
                .after,
            "0: RESCALE ABS | 1: CUSTOM | 2: RESCALE RESCALE ADD");
  EXPECT_EQ(make("  %w = wide(%x)\n  %k = shade(%w)\n  %r = ADD(%w, %k) i32[4]\n  output %r\n").after,
            "0: RESCALE | 1: CUSTOM | 2: RESCALE ADD");
  EXPECT_EQ(make("  %w = wide(%x)\n  %k = kept(%x)\n  %v = wide(%k)\n  %r = ADD(%w, %v) i32[4]\n  output %r\n  output "
                 "%w\n")
                .after,
            "0: RESCALE | 1: CUSTOM | 2: RESCALE RESCALE ADD");
}

TEST(RematerializeRescale, EmptyPartitionsAreRemoved) {
  const Made made = make("  %w = wide(%x)\n  %k = kept(%x)\n  %v = wide(%k)\n  %r = ADD(%w, %v) i32[4]\n  output %r\n");
  EXPECT_EQ(made.before, "0: RESCALE | 1: CUSTOM | 2: RESCALE ADD");
  EXPECT_EQ(made.after, "0: CUSTOM | 1: RESCALE RESCALE ADD");
}

TEST(RematerializeRescale, ChainsAreCopiedOncePerPartition) {
  const Made made = make(
      "  %n = BITWISE_NOT(%x) i8[4]\n  %h = half(%n)\n  %w = wide(%h)\n  %k = kept(%n)\n  %v = wide(%k)\n"
      "  %r = ADD(%w, %v) i32[4]\n  %t = ADD(%w, %r) i32[4]\n  %l = shade(%t)\n  %u = ADD(%l, %w) i32[4]\n  output "
      "%u\n");
  EXPECT_EQ(made.before, "0: BITWISE_NOT RESCALE RESCALE | 1: CUSTOM | 2: RESCALE ADD ADD | 3: CUSTOM | 4: ADD");
  EXPECT_EQ(made.after,
            "0: BITWISE_NOT | 1: CUSTOM | 2: RESCALE RESCALE RESCALE ADD ADD | 3: CUSTOM | 4: RESCALE RESCALE ADD");
}

}  // namespace
}  // namespace slipway::convert
