// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "importer/onnx/read_onnx.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "importer/onnx/testing.hpp"

namespace slipway::importer::onnx {
namespace {

using namespace std::string_literals;
// z = Relu(x), both of one element.
GraphParts small_graph() {
  return {.nodes = {node("Relu", {"x"}, {"z"})}, .inputs = {value("x", kF32, {1})}, .outputs = {value("z", kF32, {1})}};
}

std::string text_of_graph(const GraphParts& parts) {
  const std::string file = model(parts);
  return read(file).text();
}
// The messages, also those of a file that is accepted.
std::string messages_of(const std::string& file) { return read(file).messages(); }

TEST(IsOnnx, LooksAtTheFieldsOfTheModel) {
  EXPECT_TRUE(is_onnx(bytes_of(model(small_graph()))));
  EXPECT_TRUE(is_onnx(bytes_of(Proto().varint(1, 8).message(8, operator_set("", 20)).bytes())));
  EXPECT_FALSE(is_onnx({}));
  EXPECT_FALSE(is_onnx(bytes_of(Proto().varint(1, 8).bytes())));
  EXPECT_FALSE(is_onnx(bytes_of(model(small_graph()) + Proto().varint(9, 1).bytes())));
  EXPECT_FALSE(is_onnx(bytes_of(Proto().text(1, "8").message(7, Proto()).bytes())));
  EXPECT_FALSE(is_onnx(bytes_of(Proto().varint(7, 8).bytes())));
  std::string truncated = model(small_graph());
  truncated.pop_back();
  EXPECT_FALSE(is_onnx(bytes_of(truncated)));
  EXPECT_FALSE(is_onnx(bytes_of("slipway is a program")));
}

TEST(IsOnnx, LooksAtFewFieldsOnly) {
  Proto many = Proto().message(7, Proto());
  for (int i = 0; i < 4096; ++i) many.varint(1, 8);
  EXPECT_TRUE(is_onnx(bytes_of(many.raw("\xff").bytes())));
}

TEST(ReadOnnx, ReadsGraphs) {
  const GraphParts parts{
      .nodes = {node("Conv", {"x", "w", ""}, {"y"},
                     {integers_attribute("pads", {1, -1}), integer_attribute("group", 2)}, {}, "first"),
                node("Split", {"y"}, {"", "z"},
                     {text_attribute("mode", "a"), real_attribute("f", 0.5), reals_attribute("fs", {1, 2})})},
      .inputs = {value("x",
                       Proto().message(1, Proto().varint(1, kF32).message(2, Proto()
                                                                                 .message(1, Proto().text(2, "n"))
                                                                                 .message(1, Proto().varint(1, 3))
                                                                                 .message(1, Proto())
                                                                                 .message(1, Proto().varint(1, -1)))))},
      .outputs = {value("z", kF32, {})},
      .initializers = {raw_tensor<float>("w", kF32, {2}, {1, 0.5})},
      .value_infos = {value("y", kF32, {4})}};
  const std::string file = model(parts);
  const ReadNet read = onnx::read(file);
  EXPECT_EQ(read.text(),
            "g: x float32 [n, 3, ?, ?] -> z\n"
            "  w = float32 [2] {1, 0.5}\n"
            "  y = Conv@20(x, w, _) {group=2, pads=[1, -1]}\n"
            "  _, z = Split@20(y) {f=0.5, fs=[1, 2], mode='a'}\n");
  EXPECT_EQ(read.messages(), "");
  const NetGraph& graph = read.net->main();
  EXPECT_EQ(graph.nodes[0].label(), "`Conv #0` (`first`)");
  EXPECT_EQ(graph.nodes[1].index, 1U);
  // The type of an intermediate value is declared; a shape without dimensions is that of a scalar.
  EXPECT_EQ(graph.values[2].name, "y");
  EXPECT_EQ(graph.values[2].shape->at(0).extent, 4);
  EXPECT_EQ(graph.values[3].shape->size(), 0U);
}

TEST(ReadOnnx, KeepsTheFactsOfTheModel) {
  const std::string file =
      model(graph(small_graph()), {.operator_sets = {operator_set("ai.onnx", 17), operator_set("a", 2)}}) +
      Proto().text(2, "builder").text(3, "1.5").message(14, Proto().text(1, "k").text(2, "v")).bytes();
  const ReadNet read = onnx::read(file);
  ASSERT_TRUE(read.net) << read.messages();
  EXPECT_EQ(read.net->file, "net.onnx");
  EXPECT_EQ(read.net->producer, "builder 1.5");
  EXPECT_EQ(read.net->versions, (std::vector<std::pair<std::string, std::int64_t>>{{"", 17}, {"a", 2}}));
  EXPECT_EQ(read.net->metadata, (std::vector<std::pair<std::string, std::string>>{{"k", "v"}}));
}

TEST(ReadOnnx, LocatesNodesAndValues) {
  const Proto relu = node("Relu", {"x"}, {"z"});
  const std::string file = model(small_graph());
  const ReadNet read = onnx::read(file);
  const Span span = read.net->main().nodes[0].location.span;
  EXPECT_EQ(file.substr(span.begin, span.end - span.begin), relu.bytes());
  EXPECT_EQ(read.net->main().nodes[0].location.file, "net.onnx");
  EXPECT_EQ(read.net->main().values[1].location.span, span);
}

TEST(ReadOnnx, ViewsWeights) {
  GraphParts parts = small_graph();
  parts.initializers = {raw_tensor<float>("w", kF32, {2}, {1, 2})};
  const std::string file = model(parts);
  const ReadNet read = onnx::read(file);
  const Bytes data = read.net->main().values[1].constant->data;
  EXPECT_TRUE(data.data() > bytes_of(file).data() && data.data() + data.size() < bytes_of(file).data() + file.size());
}

TEST(ReadOnnx, TakesVersionsOfDomains) {
  const std::string file =
      model(graph({.nodes = {node("A", {}, {"a"}, {}, "ai.onnx"), node("B", {}, {"b"}, {}, "acme")},
                   .outputs = {value("a", kF32, {}), value("b", kF32, {})}}),
            {.operator_sets = {operator_set("", 13), operator_set("acme", 3)}});
  EXPECT_EQ(read(file).text(), "g: -> a, b\n  a = A@13()\n  b = acme.B@3()\n");
}

TEST(ReadOnnx, ChecksVersions) {
  const Proto graph = onnx::graph(small_graph());
  const auto with = [&](std::int64_t ir_version, std::vector<Proto> sets) {
    return messages_of(model(graph, {.operator_sets = std::move(sets), .ir_version = ir_version}));
  };
  EXPECT_EQ(with(14, {operator_set("", 27)}), "");
  EXPECT_EQ(with(15, {operator_set("", 27)}), "`ir_version` is 15; the newest known one is 14 [version-newer]\n");
  EXPECT_EQ(with(0, {operator_set("", 27)}), "`ir_version` is 0 [file-format]\n");
  EXPECT_EQ(with(9, {operator_set("", 28)}),
            "operator set 28 is not known to this version; the newest known one is 27 [version-newer]\n");
  EXPECT_EQ(with(9, {operator_set("", 0)}), "the version 0 of operator set `` is not positive [out-of-range]\n");
  EXPECT_EQ(with(9, {operator_set("", 9), operator_set("ai.onnx", 8)}),
            "operator set `ai.onnx` is imported with the versions 9 and 8 [duplicate-name]\n");
  EXPECT_EQ(with(9, {}), "the model imports no operator set [file-format]\n");
  EXPECT_EQ(with(9, {operator_set("a", 1)}),
            "`Relu #0` is of operator set `ai.onnx`, which the model does not import [unknown-reference]\n");
  const std::string old = model(graph, {.operator_sets = {}, .ir_version = 2});
  EXPECT_EQ(read(old).text(), "g: x float32 [1] -> z\n  z = Relu@1(x)\n");
}

TEST(ReadOnnx, TakesInitializersOfInputsAsDefaults) {
  GraphParts parts{.nodes = {node("Add", {"x", "w"}, {"z"})},
                   .inputs = {value("x", kF32, {1}), value("w", kF32, {1})},
                   .outputs = {value("z", kF32, {1})},
                   .initializers = {raw_tensor<float>("w", kF32, {1}, {2})}};
  for (const int ir_version : {3, 9}) {
    const std::string file = model(graph(parts), {.ir_version = ir_version});
    EXPECT_EQ(read(file).text(), "g: x float32 [1] w float32 [1] = -> z\n  w = float32 [1] {2}\n  z = Add@20(x, w)\n");
    EXPECT_EQ(read(file).messages(), "");
  }
  parts.inputs.pop_back();
  EXPECT_EQ(messages_of(model(graph(parts), {.ir_version = 3})),
            "initializer `w` is not an input, as `ir_version` below 4 demands; it is a constant [deprecated-form]\n");
  parts.inputs.push_back(value("w", kI64, {1}));
  EXPECT_EQ(messages_of(model(parts)),
            "initializer `w` is float32, but the input of the same name is int64 [file-format]\n");
}

TEST(ReadOnnx, RequiresDefinedNames) {
  EXPECT_EQ(text_of_graph({.nodes = {node("Add", {"x", "y"}, {"z"})}, .outputs = {value("q", kF32, {})}}),
            "`Add #0` uses `x`, which is not defined [unknown-reference]\n"
            "`Add #0` uses `y`, which is not defined [unknown-reference]\n"
            "output `q` is not defined in the graph [unknown-reference]\n");
}

TEST(ReadOnnx, RequiresNames) {
  EXPECT_EQ(text_of_graph({.inputs = {value("", kF32, {})}, .initializers = {raw_tensor<float>("", kF32, {1}, {2})}}),
            "input has no name [file-format]\ninitializer has no name [file-format]\n");
  EXPECT_EQ(text_of_graph({.nodes = {node("", {}, {"z"})}, .outputs = {value("z", kF32, {})}}),
            "` #0` has no operator [file-format]\n");
}

TEST(ReadOnnx, RequiresSingleAssignment) {
  GraphParts parts = small_graph();
  parts.nodes.push_back(node("Abs", {"x"}, {"z"}));
  parts.nodes.push_back(node("Abs", {"x"}, {"x"}));
  parts.inputs.push_back(value("x", kF32, {}));
  parts.initializers = {raw_tensor<float>("w", kF32, {1}, {2}), raw_tensor<float>("w", kF32, {1}, {2})};
  EXPECT_EQ(text_of_graph(parts),
            "input `x` defines `x`, a name that the graph defines already [duplicate-name]\n"
            "initializer `w` defines `w`, a name that the graph defines already [duplicate-name]\n"
            "`Abs #1` defines `z`, a name that the graph defines already [duplicate-name]\n"
            "`Abs #2` defines `x`, a name that the graph defines already [duplicate-name]\n");
}

TEST(ReadOnnx, SortsNodes) {
  const GraphParts parts{.nodes = {node("C", {"b", "a"}, {"c"}), node("B", {"a"}, {"b"}), node("A", {"x"}, {"a"}),
                                   node("D", {"x"}, {"d"})},
                         .inputs = {value("x", kF32, {})},
                         .outputs = {value("c", kF32, {})}};
  const std::string file = model(parts);
  EXPECT_EQ(read(file).text(), "g: x float32 [] -> c\n  a = A@20(x)\n  b = B@20(a)\n  c = C@20(b, a)\n  d = D@20(x)\n");
  EXPECT_EQ(read(file).messages(), "a node uses what a later one computes; the nodes are sorted [deprecated-form]\n");
}

TEST(ReadOnnx, RefusesCycles) {
  EXPECT_EQ(text_of_graph({.nodes = {node("A", {}, {"a"}), node("B", {"c", "a"}, {"b"}), node("C", {"b"}, {"c"})},
                           .outputs = {value("c", kF32, {})}}),
            "2 nodes of a graph depend on each other: `B #1`, `C #2` [file-format]\n");
  EXPECT_EQ(text_of_graph({.nodes = {node("A", {"a"}, {"a"})}, .outputs = {value("a", kF32, {})}}),
            "1 node of a graph depend on its own result: `A #0` [file-format]\n");
}

TEST(ReadOnnx, SortsLongChains) {
  constexpr int kCount = 20'000;
  GraphParts parts{.inputs = {value("v0", kF32, {})}, .outputs = {value(formatted("v{}", kCount), kF32, {})}};
  for (int i = kCount; i > 0; --i) parts.nodes.push_back(node("A", {formatted("v{}", i - 1)}, {formatted("v{}", i)}));
  const std::string file = model(parts);
  const ReadNet read = onnx::read(file);
  ASSERT_TRUE(read.net);
  EXPECT_EQ(read.net->main().nodes.front().index, kCount - 1U);
}

TEST(ReadOnnx, RefusesOtherTypesAtTheInterface) {
  const Proto tensor = tensor_type(kF32, {1});
  const GraphParts parts{.nodes = {node("A", {"a"}, {"z"})},
                         .inputs = {value("a", Proto().message(4, Proto().message(1, tensor))),
                                    value("b", Proto().message(9, Proto().message(1, tensor))),
                                    value("c", Proto().message(5, Proto())), value("d", Proto().message(8, Proto())),
                                    value("e", Proto().message(7, Proto())), value("f", 99, {1}), Proto().text(1, "h")},
                         .outputs = {value("z", Proto().message(4, Proto().message(1, tensor)))}};
  EXPECT_EQ(text_of_graph(parts),
            "input `a` is a sequence, which cannot be converted [unsupported]\n"
            "input `b` is an optional value, which cannot be converted [unsupported]\n"
            "input `c` is a map, which cannot be converted [unsupported]\n"
            "input `d` is a sparse tensor, which cannot be converted [unsupported]\n"
            "input `e` is a value of an opaque type, which cannot be converted [unsupported]\n"
            "the type 99 of input `f` is not an element type [file-format]\n"
            "input `f` has no element type [file-format]\n"
            "input `h` has no element type [file-format]\n"
            "output `z` is a sequence, which cannot be converted [unsupported]\n");
}

TEST(ReadOnnx, ReadsAttributesWithoutType) {
  const auto text = [](const Proto& attribute) {
    return text_of_graph({.nodes = {node("A", {}, {"z"}, {attribute})}, .outputs = {value("z", kF32, {})}});
  };
  const auto net = [](const std::string& attributes) {
    return formatted("g: -> z\n  z = A@20(){}\n", attributes.empty() ? "" : formatted(" {{{}}}", attributes));
  };
  EXPECT_EQ(text(Proto().text(1, "a").varint(3, -7)), net("a=-7"));
  EXPECT_EQ(text(Proto().text(1, "a").fixed(2, 1.5F)), net("a=1.5"));
  EXPECT_EQ(text(Proto().text(1, "a").text(4, "s")), net("a='s'"));
  EXPECT_EQ(text(Proto().text(1, "a").packed(8, {1, 2}).varints(8, {3})), net("a=[1, 2, 3]"));
  EXPECT_EQ(text(Proto().text(1, "a").fixed(7, 1.5F).packed_fixed<float>(7, {2, 3})), net("a=[1.5, 2, 3]"));
  EXPECT_EQ(text(Proto().text(1, "a").texts(9, {"p", "q"})), net("a=[p, q]"));
  // Values that are zero or empty may be missing.
  EXPECT_EQ(text(Proto().text(1, "a").varint(20, 2)), net("a=0"));
  EXPECT_EQ(text(Proto().text(1, "a").varint(20, 7)), net("a=[]"));
  EXPECT_EQ(text(Proto().text(1, "a").message(14, tensor_type(1, {})).varint(20, 13)), net(""));
}

TEST(ReadOnnx, ChecksAttributes) {
  const auto messages = [](const std::vector<Proto>& attributes) {
    return text_of_graph({.nodes = {node("A", {}, {"z"}, attributes)}, .outputs = {value("z", kF32, {})}});
  };
  const Proto integer = integer_attribute("a", 1);
  EXPECT_EQ(messages({integer, integer}), "attribute `a` of `A #0` occurs twice [duplicate-name]\n");
  EXPECT_EQ(messages({Proto().text(1, "a")}), "attribute `a` of `A #0` has no value of its type 0 [file-format]\n");
  EXPECT_EQ(messages({Proto().text(1, "a").varint(3, 1).varint(20, 1)}),
            "attribute `a` of `A #0` has no value of its type 1 [file-format]\n");
  EXPECT_EQ(messages({Proto().text(1, "a").varint(3, 1).varint(20, 15)}),
            "attribute `a` of `A #0` has no value of its type 15 [file-format]\n");
  EXPECT_EQ(messages({Proto().text(1, "a").varint(20, 4)}), "attribute `a` of `A #0` has no tensor [file-format]\n");
  EXPECT_EQ(messages({Proto().text(1, "a").varint(20, 5)}), "attribute `a` of `A #0` has no graph [file-format]\n");
  EXPECT_EQ(messages({Proto().text(1, "a").message(10, tensor("t", 1, {})).varint(20, 9)}),
            "attribute `a` of `A #0` has a value of type 9, which is not supported [unsupported]\n");
  EXPECT_EQ(messages({reference_attribute("a", "b", 2)}),
            "attribute `a` of `A #0` refers to attribute `b` of a function, but is not in one [unknown-reference]\n");
}

TEST(ReadOnnx, ReportsDamagedMessages) {
  const auto messages = [](GraphParts parts) { return text_of_graph(parts); };
  GraphParts parts = small_graph();
  // What refers to a name in a damaged message is not reported too.
  parts.nodes.push_back(Proto().text(4, "Bad").raw("\x0a\x7f"));
  parts.nodes.push_back(node("Abs", {"unknown"}, {"q"}));
  EXPECT_EQ(messages(parts),
            "field 1 of `Bad #1` has 127 bytes from 0x1b, but the message around it ends at 0x1b [file-truncated]\n");
  parts = small_graph();
  parts.initializers = {Proto().text(2, "x").text(8, "w")};
  EXPECT_EQ(messages(parts),
            "`data_type` of initializer `w` has the wire type 2, which is not that of its elements [file-format]\n");
  parts.initializers = {Proto().text(1, "\x80").text(8, "w")};
  EXPECT_EQ(messages(parts), "the list `dims` of initializer `w` does not consist of whole elements [file-format]\n");
  parts.initializers = {Proto().text(8, "w").raw("\x10")};
  EXPECT_EQ(messages(parts), "the last field of initializer `w` is incomplete [file-truncated]\n");
  parts.initializers = {Proto().text(8, "w").raw("\x10\xff\xff\xff\xff\xff\xff\xff\xff\xff\x7f")};
  EXPECT_EQ(messages(parts), "a number in field 2 of initializer `w` has more than 64 bits [file-format]\n");
  parts.initializers = {Proto().text(8, "w").raw("\x13")};
  EXPECT_EQ(messages(parts), "field 2 of initializer `w` is a group or has an unknown wire type [file-format]\n");
  parts.initializers = {Proto().text(8, "w").raw("\x02\x01")};
  EXPECT_EQ(messages(parts), "a field of initializer `w` has a number outside 1 to 536870911 [file-format]\n");
}

TEST(ReadOnnx, ReportsDamagedModels) {
  EXPECT_EQ(messages_of(""), "the model has no graph [file-format]\n");
  EXPECT_EQ(messages_of("\x08"), "the last field is incomplete [file-truncated]\n");
  std::string truncated = model(small_graph());
  truncated.resize(10);
  EXPECT_EQ(messages_of(truncated),
            "field 7 has 51 bytes from 0x4, but the message around it ends at 0xa [file-truncated]\n");
}

TEST(ReadOnnx, NotesWhatItIgnores) {
  const std::string file = model(small_graph()) + Proto().varint(77, 1).text(78, "x").message(20, Proto()).bytes();
  EXPECT_EQ(messages_of(file),
            "`training_info` is ignored: the model is for inference [unsupported]\n"
            "2 fields that ONNX 1.22 does not have are ignored; the first is here [version-newer]\n");
}

TEST(ReadOnnx, MergesAGraphThatOccursTwice) {
  const Proto rest = onnx::graph({.nodes = {node("Abs", {"z"}, {"q"})}, .outputs = {value("q", kF32, {})}});
  const std::string file = model(small_graph()) + Proto().message(7, rest).bytes();
  EXPECT_EQ(read(file).text(), "g: x float32 [1] -> z, q\n  z = Relu@20(x)\n  q = Abs@20(z)\n");
  EXPECT_EQ(messages_of(file), "the graph occurs twice; the fields are merged [deprecated-form]\n");
}

TEST(ReadOnnx, WarnsOfTextsThatAreNotUtf8) {
  GraphParts parts = small_graph();
  parts.nodes.push_back(node("Abs", {"x"}, {"\xff"}));
  EXPECT_EQ(messages_of(model(parts)), "the text `\xef\xbf\xbd` of `Abs #1` is not UTF-8 [deprecated-form]\n");
}

TEST(ReadOnnx, LimitsReports) {
  GraphParts parts{.outputs = {}};
  for (int i = 0; i < 1500; ++i) parts.nodes.push_back(node("A", {"x"}, {}));
  const std::string messages = text_of_graph(parts);
  EXPECT_EQ(std::ranges::count(messages, '\n'), 1002);
  EXPECT_TRUE(messages.contains("further problems than 1000 are not reported")) << messages.substr(0, 200);
}

}  // namespace
}  // namespace slipway::importer::onnx
