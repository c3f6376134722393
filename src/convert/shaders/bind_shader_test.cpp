// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "convert/shaders/bind_shader.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "convert/convert.hpp"
#include "convert/read_model.hpp"
#include "importer/onnx/testing.hpp"
#include "importer/tflite/testing.hpp"
#include "testing/messages.hpp"
#include "testing/scratch_directory.hpp"

namespace slipway::convert {
namespace {

using ::testing::ElementsAre, ::testing::HasSubstr, ::testing::StartsWith;
namespace onnx = importer::onnx;

constexpr std::string_view kScale = R"(layout(local_size_x = 4) in;
layout(set = 0, binding = 0) readonly buffer X { float x[]; };
layout(set = 0, binding = 1) writeonly buffer Y { float y[]; };
void main() {
  uint i = gl_GlobalInvocationID.x;
  if (i < OUTPUT_0_SIZE) y[i] = ATTR_factor * x[min(i, INPUT_0_SIZE - 1)] + float(uint[](ATTR_steps)[1]);
}
)";

const std::vector<onnx::Proto> kAttributes = {onnx::real_attribute("factor", 2.5F),
                                              onnx::integers_attribute("steps", {1, 7})};

// y = relu(com.acme.Scale(x)); what the file declares of the result of the first.
std::string scaling(const std::vector<onnx::Proto>& declared, const std::string& domain = "com.acme") {
  return onnx::model(onnx::graph({.nodes = {onnx::node("Scale", {"x", ""}, {"s"}, kAttributes, domain, "scaler"),
                                            onnx::node("Relu", {"s"}, {"y"})},
                                  .inputs = {onnx::value("x", onnx::kF32, {2, 5})},
                                  .outputs = {onnx::value("y", onnx::kF32, {-1, -1})},
                                  .value_infos = declared}),
                     {.operator_sets = {onnx::operator_set("", 20), onnx::operator_set("com.acme", 1)}});
}

struct Imported {
  std::string file;
  std::optional<tosa::Model> model;
  Diagnostics diagnostics;

  const tosa::Node& custom() const { return *std::ranges::find(model->graph.nodes, tosa::Op::CUSTOM, &tosa::Node::op); }
  std::string messages() const {
    std::string text = slipway::testing::messages(diagnostics);
    for (const Diagnostic& each : diagnostics.all()) {
      for (const DiagnosticNote& note : each.notes) text += formatted("- {}\n", note.message);
    }
    return text;
  }
};

Imported import_with(std::string file, std::string_view shader, const std::string& kind = "com.acme.Scale") {
  const slipway::testing::ScratchDirectory scratch;
  const Path path = scratch / "scale.comp";
  std::ofstream(path) << shader;
  Imported made{.file = std::move(file), .model = {}, .diagnostics = {}};
  ReadModelOptions options;
  auto bound = bind_shader(path, read_text, made.diagnostics);
  if (!bound) return made;
  options.import.shaders[kind] = *bound;
  made.model = read_model(bytes_of(made.file), "net.onnx", options, made.diagnostics);
  return made;
}

TEST(BindShader, MakesAShaderOperator) {
  const Imported made = import_with(scaling({onnx::value("s", onnx::kF32, {3, 7})}), kScale);
  ASSERT_TRUE(made.model) << made.messages();
  const tosa::Graph& graph = made.model->graph;
  const tosa::Node& node = made.custom();
  EXPECT_EQ(node.custom->name, "com.acme.Scale");
  EXPECT_EQ(node.name, "scaler");
  EXPECT_EQ(text_of(graph[node.outputs[0]].type), "f32[3, 7]");
  EXPECT_EQ(graph[node.outputs[0]].name, "s");
  Diagnostics diagnostics;
  const auto shader = read_shader_operator(graph, node, diagnostics);
  ASSERT_TRUE(shader) << slipway::testing::messages(diagnostics);
  EXPECT_THAT(shader->workgroups, ElementsAre(6, 1, 1));  // 21 elements, 4 for each workgroup
  ASSERT_EQ(shader->inputs.size(), 1u);
  EXPECT_EQ(shader->inputs[0].type, vk::DescriptorType::STORAGE_BUFFER);
  EXPECT_EQ(shader->inputs[0].format, vk::Format::R32_SFLOAT);
  EXPECT_EQ(shader->outputs.at(0).binding, 1u);
  tosa::Model model = *made.model;
  auto converted = convert(model, {}, diagnostics);
  ASSERT_TRUE(converted) << slipway::testing::messages(diagnostics);
  EXPECT_EQ(converted->segments.segments.size(), 2u);
}

TEST(BindShader, ResultsHaveTheShapeOfTheFirstOperandUnlessDeclared) {
  const Imported made = import_with(scaling({}), kScale);
  ASSERT_TRUE(made.model) << made.messages();
  EXPECT_EQ(text_of(made.model->graph[made.custom().outputs[0]].type), "f32[2, 5]");
}

TEST(BindShader, OperandsAreNotWritten) {
  std::string shader(kScale);
  shader.replace(shader.find("readonly "), 9, "");
  EXPECT_EQ(import_with(scaling({}), shader).messages(), "");  // no declaration says so, and it is not written
  shader.insert(shader.rfind('}'), "  x[0] = 1.0;\n");
  EXPECT_THAT(import_with(scaling({}), shader).messages(),
              HasSubstr("the shader writes `X`, a storage buffer, which is operand 0 of `com.acme.Scale`; only its "
                        "results may be written [binding-mismatch]"));
}

TEST(BindShader, OpenDimensionsAreRefused) {
  const Imported made = import_with(scaling({onnx::value("s", onnx::kF32, {2, -1})}), kScale);
  EXPECT_EQ(
      made.messages(),
      "1 of 2 nodes cannot be converted [unsupported]\n"
      "- 1 x `com.acme.Scale` (`scaler`): the extent of dimension 1 of its result `s` is not known; the file has to "
      "declare it\n");
}

TEST(BindShader, WorkgroupsOfSeveralDimensionsFollowTheShape) {
  std::string shader(kScale);
  shader.replace(shader.find("local_size_x = 4"), 16, "local_size_x = 4, local_size_y = 2");
  const Imported made = import_with(scaling({onnx::value("s", onnx::kF32, {2, 3, 5, 9})}), shader);
  ASSERT_TRUE(made.model) << made.messages();
  Diagnostics diagnostics;
  const auto operator_of = read_shader_operator(made.model->graph, made.custom(), diagnostics);
  ASSERT_TRUE(operator_of);
  EXPECT_THAT(operator_of->workgroups, ElementsAre(3, 3, 6));
}

TEST(BindShader, ReportsWhatDoesNotFit) {
  const std::string file = scaling({});
  const auto messages = [&](std::string_view shader) { return import_with(file, shader).messages(); };
  EXPECT_THAT(messages("layout(set = 0, binding = 0) buffer X { float x[]; };\nvoid main() { x[0] = ATTR_nothing; }\n"),
              HasSubstr("ATTR_nothing"));
  EXPECT_THAT(
      messages("layout(set = 0, binding = 0) buffer X { float x[]; };\nvoid main() { x[0] = 1; }\n"),
      StartsWith("the shader has 1 bindings, and `com.acme.Scale` has 1 operands and 1 results: one binding is for "
                 "each, in this order by set and number [binding-mismatch]\n"
                 "1 of 2 nodes cannot be converted [unsupported]\n"));
  EXPECT_THAT(
      messages("layout(set = 0, binding = 0) buffer X { float x[]; };\n"
               "layout(set = 0, binding = 1, r32f) uniform image2D y;\n"
               "void main() { imageStore(y, ivec2(0), vec4(x[0])); }\n"),
      HasSubstr("`y`, a storage image is bound to a tensor, for which it has to be a storage buffer or a tensor "
                "[unsupported]"));
  EXPECT_THAT(
      messages("layout(push_constant) uniform P { float p; };\n"
               "layout(set = 0, binding = 0) buffer X { float x[]; };\n"
               "layout(set = 0, binding = 1) buffer Y { float y[]; };\n"
               "void main() { y[0] = p * x[0]; }\n"),
      HasSubstr("the shader has push constants; attributes of the node are macros (`ATTR_name`) [unsupported]"));
}

TEST(BindShader, NamesKindsThatAreNotBound) {
  EXPECT_EQ(import_with(scaling({}), kScale, "com.acme.Scales").messages(),
            "no node that was reached is a `com.acme.Scales`, to which `--shader` binds a shader; kinds without an "
            "operator or "
            "a shader: `com.acme.Scale` [unknown-reference]\n"
            "1 of 2 nodes cannot be converted [unsupported]\n"
            "- 1 x `com.acme.Scale` (`scaler`): the operator is not supported: unknown domain or operator; `--shader "
            "com.acme.Scale=FILE` binds it to a compute shader\n");
}

TEST(BindShader, ErrorsOfOtherFilesDoNotMatter) {
  const std::string file = onnx::model({.nodes = {onnx::node("Relu", {"x"}, {"y"})},
                                        .inputs = {onnx::value("x", onnx::kF32, {2})},
                                        .outputs = {onnx::value("y", onnx::kF32, {2})}});
  Diagnostics diagnostics;
  diagnostics.error(DiagnosticKind::FileFormat, {}, "of another file");
  EXPECT_TRUE(read_model(bytes_of(file), "net.onnx", {}, diagnostics).has_value());
}

TEST(BindShader, IsForModelsThatAreImported) {
  const std::string graph = "graph g {\n  %0 = input f32[1]\n  %1 = EXP(%0) f32[1]\n  output %1\n}\n";
  EXPECT_EQ(
      import_with(graph, kScale).messages(),
      "the file has no nodes of the kind `com.acme.Scale`; `--shader` binds nodes of ONNX and TensorFlow Lite models "
      "[unknown-reference]\n");
}

TEST(BindShader, BindsCustomOperatorsOfTensorFlowLiteByTheirNames) {
  importer::TfliteModel model;
  const int x = model.input({.name = "x", .shape = {2, 5}});
  const int y = model.result({.name = "y", .shape = {3, 4}});
  model.add_custom("Halve", {x}, {y});
  model.output(y);
  const std::vector<std::byte> bytes = model.bytes();
  const Imported made =
      import_with(std::string(text_of(bytes)),
                  "layout(set = 0, binding = 0) readonly buffer X { float x[]; };\n"
                  "layout(set = 0, binding = 1) writeonly buffer Y { float y[]; };\n"
                  "void main() { uint i = gl_GlobalInvocationID.x; y[i] = x[i % INPUT_0_SIZE] / 2; }\n",
                  "Halve");
  ASSERT_TRUE(made.model) << made.messages();
  EXPECT_EQ(made.custom().custom->name, "Halve");
  EXPECT_EQ(text_of(made.model->graph[made.custom().outputs[0]].type), "f32[3, 4]");
}

TEST(BindShader, ReadsShadersOnly) {
  Diagnostics diagnostics;
  EXPECT_FALSE(bind_shader("missing.comp", read_text, diagnostics).has_value());
  EXPECT_EQ(diagnostics.all().front().kind, DiagnosticKind::FileNotFound);
}

}  // namespace
}  // namespace slipway::convert
