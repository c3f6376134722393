// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "base/format.hpp"
#include "base/text/base64.hpp"
#include "convert/shaders/shader_code.hpp"
#include "convert/testing.hpp"
#include "spirv/reflect/reflect.hpp"
#include "spirv/testing.hpp"

namespace slipway::convert {
namespace {

using ::testing::HasSubstr;
using testing::messages;

// A graph of one shader operator with an input f32[4] and a result f32[4].
struct Model {
  tosa::Graph graph;

  explicit Model(std::string attributes) {
    const tosa::TensorType type{tosa::DataType::F32, {4}};
    const auto input = graph.add_input(type);
    graph.outputs = {graph.add(tosa::Op::CUSTOM, {input}, {}, type)};
    graph.nodes[0].custom =
        std::make_shared<tosa::CustomOperator>(std::string(kShaderDomain), "blur", std::move(attributes));
    graph.nodes[0].location = SourceLocation::in_file("m.tosa");
  }
  const tosa::Node& node() const { return graph.nodes[0]; }
};

using Members = std::map<std::string, std::string>;

Members sound() {
  return {{"entry_point", "\"main\""},
          {"workgroup_sizes", "[1, 2, 3]"},
          {"input_0_vkformat", "\"VK_FORMAT_R32_SFLOAT\""},
          {"input_0_vkdescriptortype", "\"VK_DESCRIPTOR_TYPE_STORAGE_BUFFER\""},
          {"input_0_binding", "0"},
          {"input_0_descriptorset", "0"},
          {"output_0_vkformat", "\"VK_FORMAT_R32_SFLOAT\""},
          {"output_0_vkdescriptortype", "\"VK_DESCRIPTOR_TYPE_STORAGE_BUFFER\""},
          {"output_0_binding", "1"},
          {"output_0_descriptorset", "0"}};
}

std::string text_of_members(const Members& members) {
  std::string text;
  for (const auto& [key, value] : members) text += formatted("{}\"{}\": {}", text.empty() ? "" : ", ", key, value);
  return "{" + text + "}";
}

// Messages without their common beginning: `m.tosa: ` and the operator.
std::string shortened(std::string text) {
  const auto erase = [&](std::string_view what) {
    for (std::size_t at = text.find(what); at != text.npos; at = text.find(what)) text.erase(at, what.size());
  };
  erase("m.tosa: ");
  erase("shader operator `blur`: ");
  return text;
}

std::string read_messages(const std::string& attributes) {
  const Model model(attributes);
  Diagnostics problems;
  const auto made = read_shader_operator(model.graph, model.node(), problems);
  EXPECT_EQ(made.has_value(), !problems.has_errors());
  return shortened(messages(problems));
}

std::string changed(const std::string& key, const std::string& value) {
  Members members = sound();
  if (value.empty())
    members.erase(key);
  else
    members[key] = value;
  return read_messages(text_of_members(members));
}

TEST(ShaderOperator, ValidAttributes) {
  Members members = sound();
  members["push_constants"] = "\"a: 4, b : 8,c:16 , d: 12, e: 1\"";
  members["input_0_sampler"] =
      "{\"min_filter\": \"VK_FILTER_LINEAR\", \"mag_filter\": \"VK_FILTER_NEAREST\", \"address_mode_u\": "
      "\"VK_SAMPLER_ADDRESS_MODE_REPEAT\", \"address_mode_v\": \"VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE\", "
      "\"border_color\": \"VK_BORDER_COLOR_INT_OPAQUE_BLACK\"}";
  members["is_vkshader"] = "true";
  members["shader_language"] = "null";
  const Model model(text_of_members(members));
  Diagnostics problems;
  const auto made = read_shader_operator(model.graph, model.node(), problems);
  ASSERT_TRUE(made) << messages(problems);
  EXPECT_EQ(messages(problems), "");
  EXPECT_EQ(made->name, "blur");
  EXPECT_EQ(made->entry_point, "main");
  EXPECT_EQ(made->workgroups, (std::array<std::uint32_t, 3>{1, 2, 3}));
  EXPECT_TRUE(made->is_placeholder());
  std::string layout;
  for (const PushConstant& each : made->push_constants)
    layout += formatted("{} {} {}; ", each.name, each.offset, each.size);
  EXPECT_EQ(layout, "a 0 4; b 8 8; c 16 16; d 32 12; e 44 1; ");
  EXPECT_EQ(made->push_constant_bytes, 48u);
  ASSERT_TRUE(made->inputs[0].sampler);
  EXPECT_EQ(made->inputs[0].sampler->min_filter, vk::Filter::LINEAR);
  EXPECT_EQ(made->outputs[0].binding, 1u);
}

struct Broken {
  std::string key, value, message;
};

TEST(ShaderOperator, EachRuleHasItsMessage) {
  const Broken kCases[] = {
      {"entry_point", "", "error: `entry_point` is missing [missing-key]\n  = at implementation_attrs/entry_point\n"},
      {"entry_point", "\"\"",
       "error: `entry_point` is empty or contains NUL [out-of-range]\n  = at implementation_attrs/entry_point\n"},
      {"entry_point", "7",
       "error: `entry_point` is a number instead of a string [wrong-type]\n  = at implementation_attrs/entry_point\n"},
      {"workgroup_sizes", "",
       "error: `workgroup_sizes` is missing [missing-key]\n  = at implementation_attrs/workgroup_sizes\n"},
      {"workgroup_sizes", "[1, 2]",
       "error: `workgroup_sizes` has 2 numbers instead of 3 [out-of-range]\n  = at "
       "implementation_attrs/workgroup_sizes\n"},
      {"workgroup_sizes", "[1, 0, 1]",
       "error: `workgroup_sizes` has 0; each is a whole number from 1 to 2^32-1 [out-of-range]\n"
       "  = at implementation_attrs/workgroup_sizes/1\n"},
      {"workgroup_sizes", "[1, 1, 4294967297]",
       "error: `workgroup_sizes` has 4294967297; each is a whole number from 1 to 2^32-1 [out-of-range]\n"
       "  = at implementation_attrs/workgroup_sizes/2\n"},
      {"input_0_vkformat", "", "error: `input_0_vkformat` is missing [missing-key]"},
      {"input_0_vkdescriptortype", "", "error: `input_0_vkdescriptortype` is missing [missing-key]"},
      {"output_0_binding", "", "error: `output_0_binding` is missing [missing-key]"},
      {"output_0_descriptorset", "", "error: `output_0_descriptorset` is missing [missing-key]"},
      {"input_0_vkformat", "37", "error: `input_0_vkformat` is a number instead of a string [wrong-type]"},
      {"input_0_binding", "\"0\"", "error: `input_0_binding` is a string instead of a number [wrong-type]"},
      {"workgroup_sizes", "[1, \"2\", 3]",
       "error: `workgroup_sizes` has \"2\"; each is a whole number from 1 to 2^32-1 [out-of-range]"},
      {"shader_code", "7", "error: `shader_code` is a number instead of a string [wrong-type]"},
      {"input_0_sampler",
       "{\"min_filter\": \"VK_FILTER_LINEAR\", \"mag_filter\": \"VK_FILTER_LINEAR\", "
       "\"address_mode_u\": \"VK_SAMPLER_ADDRESS_MODE_WRAP\"}",
       "error: `VK_SAMPLER_ADDRESS_MODE_WRAP` is not a known address mode"},
      {"input_0_binding", "-3",
       "error: `input_0_binding` is -3; it must be a whole number from 0 to 4294967295 [out-of-range]\n"
       "  = at implementation_attrs/input_0_binding\n"},
      {"input_0_binding", "1.5",
       "error: `input_0_binding` is 1.5; it must be a whole number from 0 to 4294967295 [out-of-range]\n"
       "  = at implementation_attrs/input_0_binding\n"},
      {"input_0_descriptorset", "4294967295",
       "error: `input_0_descriptorset` is 4294967295; it must be a whole number from 0 to 4294967294 [out-of-range]\n"
       "  = at implementation_attrs/input_0_descriptorset\n"},
      {"output_0_binding", "0",
       "error: set 0 binding 0 is used twice [duplicate-name]\n  = at implementation_attrs/output_0_binding\n"},
      {"input_0_vkformat", "\"VK_FORMAT_R32_FLOAT\"",
       "error: `VK_FORMAT_R32_FLOAT` is not a known format; did you mean `VK_FORMAT_R32_SFLOAT`? [unknown-value]\n"
       "  = at implementation_attrs/input_0_vkformat\n"},
      {"input_0_vkdescriptortype", "\"STORAGE_BUFFER\"", "error: `STORAGE_BUFFER` is not a known descriptor type"},
      {"input_0_vkdescriptortype", "\"VK_DESCRIPTOR_TYPE_INPUT_ATTACHMENT\"",
       "error: a shader operator cannot have a tensor as `VK_DESCRIPTOR_TYPE_INPUT_ATTACHMENT` [unsupported]"},
      {"input_0_vkdescriptortype", "\"VK_DESCRIPTOR_TYPE_STORAGE_TENSOR_EXT\"",
       "warning: `VK_DESCRIPTOR_TYPE_STORAGE_TENSOR_EXT` is taken as `VK_DESCRIPTOR_TYPE_TENSOR_ARM` "
       "[deprecated-form]"},
      {"input_0_vkdescriptortype", "\"VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER\"",
       "warning: `input_0_sampler` is missing; not every runtime makes up a sampler [missing-key]"},
      {"input_0_vkdescriptortype", "\"VK_DESCRIPTOR_TYPE_STORAGE_IMAGE\"",
       "warning: an image of VK_FORMAT_R32_SFLOAT has the shape [H, W, 1] or [1, H, W, 1], and the tensor is f32[4] "
       "[shape-mismatch]"},
      {"input_0_vkformat", "\"VK_FORMAT_R8_SINT\"",
       "warning: VK_FORMAT_R8_SINT has components of 1 bytes, and elements of f32[4] have 4 [file-mismatch]"},
      {"input_0_vkformat", "\"VK_FORMAT_R32G32_SFLOAT\"",
       "warning: VK_FORMAT_R32G32_SFLOAT has 2 components; a tensor or buffer has one [file-mismatch]"},
      {"input_0_type", "\"Texture\"",
       "error: `input_0_type` is `Texture`; it is one of Tensor, Image, Buffer [unknown-value]"},
      {"input_0_type", "\"image\"",
       "warning: `input_0_type` is `image`, and the descriptor type is VK_DESCRIPTOR_TYPE_STORAGE_BUFFER "
       "[conflicting-keys]"},
      {"input_1_binding", "4", "warning: `input_1_binding` is for tensor 1, and the operator has 1 [unknown-key]"},
      {"input_0_sampler", "null", "error: `input_0_sampler` is null instead of an object [wrong-type]"},
      {"input_0_sampler", "{\"filter\": \"VK_FILTER_LINEAR\"}", "error: a sampler has no `filter` [unknown-key]"},
      {"input_0_sampler", "{\"min_filter\": \"VK_FILTER_LINEA\"}",
       "error: `VK_FILTER_LINEA` is not a known filter; did you mean `VK_FILTER_LINEAR`? [unknown-value]\n"
       "  = at implementation_attrs/input_0_sampler/min_filter\n"},
      {"input_0_sampler", "{}", "error: `mag_filter` of the sampler is missing [missing-key]"},
      {"shader_language", "\"GLSL\"",
       "error: shader_language and shader_code must both be set or both be unset [conflicting-keys]"},
      {"shader_language", "\"WGSL\"",
       "error: unknown shader language `WGSL`; accepted are SPIR-V, GLSL and HLSL [unknown-value]"},
      {"push_constants", "\"a\"", "error: `a` is not of the form `name: size` [out-of-range]"},
      {"push_constants", "\"a: 4, a: 4\"", "error: two push constants are called `a` [out-of-range]"},
      {"push_constants", "\"a: 0\"", "error: push constant `a` has 0 bytes; it is 1 to 256 [out-of-range]"},
      {"push_constants", "\"a: 256, b: 4\"",
       "error: the push constants take 260 bytes; at most 256 are possible [out-of-range]"},
      {"push_constants", "\"a: 132\"",
       "warning: the push constants take 132 bytes; every device has 128 [not-portable]"},
  };
  for (const Broken& each : kCases) {
    SCOPED_TRACE(each.key + " " + each.value);
    EXPECT_THAT(changed(each.key, each.value), HasSubstr(each.message));
  }
}

TEST(ShaderOperator, TheTextMustBeValidJson) {
  EXPECT_THAT(read_messages(""), HasSubstr("[json-syntax]"));
  EXPECT_THAT(read_messages("{\"a\": }"), HasSubstr("[json-syntax]"));
  EXPECT_THAT(read_messages("[1]"), HasSubstr("error: the attributes are an array instead of an object [wrong-type]"));
  EXPECT_THAT(read_messages("{\"entry_point\": \"main\", }"), HasSubstr("[json-extension]"));
  EXPECT_THAT(read_messages(std::string(100, '[') + std::string(100, ']')), HasSubstr("nest deeper than 64 levels"));
  std::string twice = text_of_members(sound());
  twice.insert(1, "\"entry_point\": \"other\", ");
  EXPECT_THAT(read_messages(twice), HasSubstr("warning: `entry_point` appears twice [duplicate-key]"));
}

// --- code ---

std::string json_text(std::string_view code) {
  std::string out = "\"";
  for (const char c : code) out += c == '\n' ? std::string("\\n") : c == '"' ? std::string("\\\"") : std::string(1, c);
  return out + "\"";
}

struct Built {
  std::optional<ShaderModule> module;
  std::string messages;
};

Built build(const Members& members, const ShaderCodeOptions& options = {}) {
  const Model model(text_of_members(members));
  Diagnostics problems;
  const auto declared = read_shader_operator(model.graph, model.node(), problems);
  Built built;
  if (declared) built.module = build_shader(*declared, model.graph, model.node(), options, problems);
  EXPECT_EQ(built.module.has_value(), !problems.has_errors());
  built.messages = shortened(messages(problems));
  return built;
}

constexpr std::string_view kGlsl =
    "layout(local_size_x = 4) in;\nlayout(set = 0, binding = 0) readonly buffer In { float x[]; };\n"
    "layout(set = 0, binding = 1) writeonly buffer Out { float y[]; };\nvoid main() { y[gl_GlobalInvocationID.x] = "
    "2.0 * x[gl_GlobalInvocationID.x]; }\n";

Members with_code(std::string_view language, std::string_view code) {
  Members members = sound();
  members["shader_language"] = formatted("\"{}\"", language);
  members["shader_code"] = json_text(code);
  return members;
}

std::string base64_of(const spirv::Words& words) { return to_base64(std::as_bytes(std::span(words))); }

TEST(ShaderCode, GlslIsCompiledUnderTheNameOfItsEntryPoint) {
  Members members = with_code("GLSL", kGlsl);
  members["entry_point"] = "\"a_rather_long_name\"";
  const Built built = build(members);
  EXPECT_EQ(built.messages, "");
  ASSERT_TRUE(built.module);
  EXPECT_EQ(built.module->kind, vgf::CodeKind::Spirv);
  EXPECT_TRUE(spirv::validate(built.module->words, "t.spv"));
  const auto module = spirv::read_module(built.module->words, "t.spv");
  ASSERT_TRUE(module);
  EXPECT_NE(spirv::reflect(*module)->find("a_rather_long_name", spirv::Stage::Compute), nullptr);
  EXPECT_EQ(build(members).module->words, built.module->words);
}

TEST(ShaderCode, HlslKeptSourceAndPlaceholders) {
  const Built hlsl =
      build(with_code("HLSL",
                      "[[vk::binding(0, 0)]] RWByteAddressBuffer x;\n[[vk::binding(1, 0)]] RWByteAddressBuffer y;\n"
                      "[numthreads(4, 1, 1)] void main(uint3 id : SV_DispatchThreadID) { "
                      "y.Store(id.x * 4, x.Load(id.x * 4)); }\n"));
  EXPECT_TRUE(hlsl.module) << hlsl.messages;
  const Built kept = build(with_code("GLSL", kGlsl), {.keep_source = true});
  ASSERT_TRUE(kept.module);
  EXPECT_EQ(kept.module->kind, vgf::CodeKind::Glsl);
  EXPECT_EQ(kept.module->text, kGlsl);
  EXPECT_TRUE(kept.module->words.empty());
  const Built placeholder = build(with_code("GLSL", ""));
  ASSERT_TRUE(placeholder.module);
  EXPECT_EQ(placeholder.module->kind, vgf::CodeKind::Glsl);
  EXPECT_TRUE(placeholder.module->text.empty());
  EXPECT_EQ(build(sound()).module->kind, vgf::CodeKind::Spirv);
}

TEST(ShaderCode, LanguageIsDetectedFromContents) {
  Members members = sound();
  members["shader_code"] = json_text(kGlsl);
  EXPECT_THAT(build(members).messages,
              HasSubstr("warning: `shader_language` is missing; the code is taken as GLSL [deprecated-form]"));
  members["shader_code"] = json_text(base64_of(build(with_code("GLSL", kGlsl)).module->words));
  EXPECT_THAT(build(members).messages, HasSubstr("the code is taken as SPIR-V"));
}

TEST(ShaderCode, ErrorsInTextHaveTheirLine) {
  const Built built = build(with_code("GLSL", "void main() {\n  int x = y;\n}\n"));
  EXPECT_THAT(built.messages, HasSubstr("blur.glsl:2:"));
  EXPECT_THAT(built.messages, HasSubstr("[shader-compile]"));
  EXPECT_THAT(built.messages, HasSubstr("note: in shader operator `blur`"));
  EXPECT_THAT(
      build(with_code("GLSL", "#extension GL_GOOGLE_include_directive : enable\n#include \"x.h\"\nvoid main() {}\n"))
          .messages,
      HasSubstr("[shader-compile]"));
}

TEST(ShaderCode, GivenBinariesAreCheckedAgainstTheDeclaration) {
  const spirv::Words words = build(with_code("GLSL", kGlsl)).module->words;
  const auto given = [](const spirv::Words& code, const ShaderCodeOptions& options = {},
                        const std::map<std::string, std::string>& changes = {}) {
    Members members = with_code("SPIR-V", base64_of(code));
    for (const auto& [key, value] : changes) members[key] = value;
    return build(members, options).messages;
  };
  EXPECT_EQ(given(words), "");
  EXPECT_THAT(build(with_code("SPIR-V", "not base64!")).messages,
              HasSubstr("error: the code is not base64 (standard alphabet, padded, without blanks) [file-format]"));
  EXPECT_THAT(build(with_code("SPIR-V", "AAAA")).messages,
              HasSubstr("error: the SPIR-V is 3 bytes; the size must be a multiple of 4"));
  EXPECT_THAT(given({1, 2, 3}), HasSubstr("error: the code is not SPIR-V: wrong magic number"));
  EXPECT_THAT(given({0x03022307, 0, 0, 0, 0}), HasSubstr("error: big-endian SPIR-V is not supported"));
  EXPECT_THAT(given({0x07230203, 0x10000, 0, 1, 0, 0xffff0000}), HasSubstr("error: the SPIR-V is not valid: "));
  const spirv::Words stub = {0x07230203, 0x10000, 0, 1, 0};
  EXPECT_THAT(given(stub),
              HasSubstr("error: the shader has no compute entry point `main`; it has none [unknown-reference]"));
  EXPECT_THAT(given(stub, {.check = ShaderCheck::Magic}),
              HasSubstr("warning: the SPIR-V is not checked beyond its first word"));
  EXPECT_EQ(given({1, 2, 3}, {.check = ShaderCheck::Off}), "");
  EXPECT_THAT(given(words, {}, {{"entry_point", "\"other\""}}),
              HasSubstr("error: the shader has no compute entry point `other`; it has `main` (compute)"));
  EXPECT_THAT(given(words, {}, {{"input_0_binding", "5"}}),
              HasSubstr("error: the shader uses storage buffer `In` at set 0 binding 0, which no input or output has "
                        "[binding-mismatch]"));
  EXPECT_THAT(given(words, {}, {{"input_0_binding", "5"}}),
              HasSubstr("warning: the shader does not use set 0 binding 5 [unused-resource]"));
  EXPECT_THAT(given(words, {}, {{"input_0_vkdescriptortype", "\"VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER\""}}),
              HasSubstr("error: `In` at set 0 binding 0 is a storage buffer, and the operator has "
                        "VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER [binding-mismatch]"));
  EXPECT_THAT(given(words, {}, {{"push_constants", "\"a: 4\""}}),
              HasSubstr("warning: the shader has no push constants [unused-resource]"));
}

// The tools that Slipway replaces accept it.
TEST(ShaderCode, InputsShouldNotBeWritten) {
  std::string code(kGlsl);
  ASSERT_NE(code.find("readonly "), code.npos);
  code.replace(code.find("readonly "), 9, "");
  EXPECT_EQ(build(with_code("GLSL", code)).messages, "");
  code.insert(code.rfind('}'), " x[0] = 1.0; ");
  EXPECT_THAT(build(with_code("GLSL", code)).messages,
              HasSubstr("warning: the shader writes `In` at set 0 binding 0, which is an input of the operator "
                        "[binding-mismatch]"));
}

TEST(ShaderCode, PushConstantsAndTensorsMustMatch) {
  const std::string pushing =
      "layout(local_size_x = 1) in;\nlayout(push_constant) uniform P { vec4 a; };\nlayout(set = 0, binding = 1) "
      "writeonly buffer Out { float y[]; };\nvoid main() { y[0] = a.x; }\n";
  EXPECT_THAT(
      build(with_code("GLSL", pushing)).messages,
      HasSubstr("error: the shader has 16 bytes of push constants, but the operator has none [binding-mismatch]"));
  Members members = with_code("GLSL", pushing);
  members["push_constants"] = "\"a: 8\"";
  EXPECT_THAT(build(members).messages,
              HasSubstr("error: the shader has 16 bytes of push constants, and the operator 8"));
  members["push_constants"] = "\"a: 16\"";
  EXPECT_TRUE(build(members).module);

  const auto tensors = [](std::string_view type) {
    Members with = with_code(
        "GLSL", formatted("#version 460\n#extension GL_ARM_tensors : require\n#extension "
                          "GL_EXT_shader_explicit_arithmetic_types : require\n"
                          "layout(local_size_x = 1) in;\nlayout(set = 0, binding = 0) uniform tensorARM<{}> x;\n"
                          "layout(set = 0, binding = 1) writeonly buffer Out {{ float y[]; }};\n"
                          "void main() {{ y[0] = float(tensorSizeARM(x, 0)); }}\n",
                          type));
    with["input_0_vkdescriptortype"] = "\"VK_DESCRIPTOR_TYPE_TENSOR_ARM\"";
    return build(with).messages;
  };
  EXPECT_EQ(tensors("float, 1"), "");
  EXPECT_THAT(tensors("float, 3"),
              HasSubstr("error: tensor `x` of the shader has rank 3, and the operator's is f32[4] [shape-mismatch]"));
  EXPECT_THAT(
      tensors("int8_t, 1"),
      HasSubstr("error: tensor `x` of the shader has elements of i8, and the operator's is f32[4] [type-mismatch]"));
}

}  // namespace
}  // namespace slipway::convert
