// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "shader/compile.hpp"
#include "base/format.hpp"

#include <filesystem>
#include <thread>

#include "shader/testing.hpp"

namespace slipway::shader {
namespace {

Result<Compiled> glsl(std::string text, const Options& options = {}) {
  return compile(make_source("main.comp", std::move(text)), Language::Glsl, options);
}

Result<Compiled> hlsl(std::string text, const Options& options = {}) {
  return compile(make_source("main.hlsl", std::move(text)), Language::Hlsl, options);
}

TEST(Glsl, ComputeShader) {
  EXPECT_EQ(reflection_of(glsl("layout(local_size_x = 64) in;\n"
                               "layout(set = 1, binding = 2) buffer Data { float values[]; } data;\n"
                               "void main() { data.values[gl_GlobalInvocationID.x] *= 2; }\n")),
            "SPIR-V 1.6\n"
            "capability Shader\n"
            "instruction set GLSL.std.450\n"
            "compute `main`\n"
            "  local size 64 x 1 x 1\n"
            "  binding 1.2 `data`: storage buffer, 0 bytes + n * 4, read, written\n");
}

TEST(Glsl, SpecializedWorkgroup) {
  EXPECT_THAT(
      reflection_of(glsl("#version 460\nlayout(local_size_x_id = 4) in;\nlayout(constant_id = 5) const uint n = 3;\n"
                         "shared float tile[n];\nlayout(binding = 0) buffer B { float x; };\n"
                         "void main() { tile[0] = 1; x = tile[0]; }\n")),
      ::testing::AllOf(::testing::HasSubstr("  local size 1 (constant 4) x 1 x 1\n"),
                       ::testing::HasSubstr("  shared memory 12 bytes\n"), ::testing::HasSubstr("binding 0.0 `B`"),
                       ::testing::HasSubstr("specialization constant 5 `n`: u32 = 0x3\n")));
}

TEST(Glsl, VertexAndFragmentShaders) {
  EXPECT_THAT(reflection_of(glsl("layout(location = 0) out vec2 uv;\nvoid main() { uv = vec2(gl_VertexIndex); "
                                 "gl_Position = vec4(0); }\n",
                                 {.stage = spirv::Stage::Vertex})),
              ::testing::HasSubstr("vertex `main`\n  output 0 `uv`: f32x2\n"));
  EXPECT_THAT(
      reflection_of(glsl("layout(location = 0) in vec2 uv;\nlayout(location = 0) out vec4 color;\n"
                         "layout(binding = 1) uniform sampler2D image;\nvoid main() { color = texture(image, uv); }\n",
                         {.stage = spirv::Stage::Fragment})),
      ::testing::HasSubstr("fragment `main`\n  binding 0.1 `image`: combined image sampler 2d of f32, read\n"
                           "  input 0 `uv`: f32x2\n  output 0 `color`: f32x4\n"));
}

TEST(Glsl, Tensors) {
  EXPECT_THAT(reflection_of(glsl(
                  "#extension GL_ARM_tensors : require\n#extension GL_EXT_shader_explicit_arithmetic_types : require\n"
                  "layout(set = 0, binding = 0) uniform tensorARM<float, 2> a;\n"
                  "layout(set = 0, binding = 1) writeonly uniform tensorARM<float, 2> b;\n"
                  "void main() { float x; tensorReadARM(a, uint[](0, 0), x); tensorWriteARM(b, uint[](0, 0), x); }\n")),
              ::testing::HasSubstr(
                  "  binding 0.0 `a`: tensor f32 rank 2, read\n  binding 0.1 `b`: tensor f32 rank 2, written\n"));
}

TEST(Glsl, DebugInformationIsAChoice) {
  const std::string text = "layout(binding = 0) buffer B { float x; };\nvoid main() { x = 1; }\n";
  EXPECT_THAT(assembly_of(glsl(text)), ::testing::HasSubstr("OpLine"));
  EXPECT_THAT(assembly_of(glsl(text, {.debug_info = false})), ::testing::Not(::testing::HasSubstr("OpLine")));
}

TEST(Glsl, Macros) {
  const std::string text =
      "#ifdef GONE\n#error it is there\n#endif\nlayout(local_size_x = SIZE, local_size_y = TWICE(3), local_size_z = "
      "EMPTY 1) in;\n"
      "void main() {}\n";
  const Result<BuildOptions> options = parse_build_options("-DSIZE=8 -DTWICE(x)=(2*x) +DEMPTY -DGONE -UGONE", {});
  EXPECT_THAT(reflection_of(glsl(text, {.macros = options->macros})), ::testing::HasSubstr("local size 8 x 6 x 1"));
  EXPECT_EQ(errors_of(glsl(text, {.macros = {{"A", "1"}, {"A", "2"}}})),
            "main.comp: error: Compilation error: `#define`: Macro redefined; different substitutions: A; in the "
            "macros of the "
            "build options [shader-compile]\n");
}

TEST(Glsl, ErrorsAreAtTheirLines) {
  EXPECT_EQ(shown(glsl("#version 460\nvoid main() {\n  foo = 1;\n}\n").error(), true),
            "main.comp:3:3: error: Compilation error: `foo`: undeclared identifier [shader-compile]\n"
            "    3 |   foo = 1;\n"
            "      |   ^~~\n");
  EXPECT_EQ(errors_of(glsl("")),
            "main.comp: error: Compilation error: Linking compute stage: Missing entry point: Each stage "
            "requires one entry point [shader-compile]\n");
  EXPECT_EQ(errors_of(glsl("void foo();\nvoid main() { foo(); }\n")),
            "main.comp: error: Compilation error: Linking compute stage: No function definition (body) found: foo( "
            "[shader-compile]\n");
  EXPECT_EQ(errors_of(glsl("void main() {\n")),
            "main.comp:2:1: error: Compilation error: syntax error, unexpected end of file [shader-compile]\n");
}

TEST(Glsl, WarningsStay) {
  const Result<Compiled> compiled = glsl("#version 460\n#extension GL_FOO_bar : enable\nvoid main() {}\n");
  ASSERT_TRUE(compiled);
  EXPECT_EQ(shown(compiled->warnings),
            "main.comp:2:1: warning: Compilation warning: `#extension`: extension not supported: GL_FOO_bar "
            "[shader-compile]\n");
}

TEST(Hlsl, SlangIsNamed) {
  const std::string text = "[numthreads(1, 1, 1)] void main() {}\n";
  const Result<Compiled> compiled = compile(make_source("a/b.slang", text), Language::Hlsl, {});
  ASSERT_TRUE(compiled);
  EXPECT_EQ(shown(compiled->warnings),
            "a/b.slang: warning: the file is Slang, which is compiled as HLSL here and may compute something else; "
            "`slangc a/b.slang -target spirv -o b.spv` compiles it [shader-compile]\n");
  EXPECT_TRUE(compile(make_source("b.hlsl", text), Language::Hlsl, {})->warnings.empty());
}

TEST(Glsl, HasOneEntryPoint) {
  EXPECT_EQ(errors_of(glsl("void main() {}\n", {.entry = "other"})),
            "main.comp: error: GLSL is required to have an entrypoint of 'main', not `other` [shader-compile]\n");
}

TEST(Glsl, OtherStagesAreNotThere) {
  EXPECT_EQ(errors_of(glsl("void main() {}\n", {.stage = spirv::Stage::Geometry})),
            "main.comp: error: no geometry shaders in GLSL; use SPIR-V [unsupported]\n");
}

// --- includes ------------------------------------------------------------------------------------------------------

std::string dependencies_of(const Result<Compiled>& compiled) {
  if (!compiled) return shown(compiled.error());
  std::string text;
  for (const Dependency& dependency : compiled->dependencies) {
    text += dependency.path.generic_string() + (dependency.hash.empty() ? " missing\n" : "\n");
  }
  return text;
}

TEST(Includes, NestedDirectories) {
  Files files{.texts = {{"shaders/lib/a.glsl", "#include \"sub/b.glsl\"\n#include \"common.glsl\"\n"},
                        {"shaders/lib/sub/b.glsl", "#include \"../c.glsl\"\n"},
                        {"shaders/lib/c.glsl", "const int c = 4;\n"},
                        {"include/common.glsl", "#include \"own.glsl\"\n"},
                        {"include/own.glsl", "const int own = 2;\n"}}};
  const Result<Compiled> compiled =
      glsl("#version 460\n#include \"lib/a.glsl\"\nlayout(local_size_x = c * own) in;\nvoid main() {}\n",
           {.directory = "shaders", .include_dirs = {"nowhere", "include"}, .read_file = files.reader()});
  EXPECT_THAT(reflection_of(compiled), ::testing::HasSubstr("local size 8 x 1 x 1"));
  EXPECT_EQ(dependencies_of(compiled),
            "include/common.glsl\n"
            "include/own.glsl\n"
            "nowhere/common.glsl missing\n"
            "shaders/lib/a.glsl\n"
            "shaders/lib/c.glsl\n"
            "shaders/lib/common.glsl missing\n"
            "shaders/lib/sub/b.glsl\n");
}

TEST(Includes, OwnDirectoryComesFirstAndBracketsAreAlike) {
  Files files{.texts = {{"d/x.h", "#define N 3\n"}, {"i/x.h", "#define N 5\n"}}};
  const std::string text = "#include <x.h>\nlayout(local_size_x = N) in;\nvoid main() {}\n";
  EXPECT_THAT(reflection_of(glsl(text, {.directory = "d", .include_dirs = {"i"}, .read_file = files.reader()})),
              ::testing::HasSubstr("local size 3"));
  EXPECT_THAT(reflection_of(glsl(text, {.directory = "e", .include_dirs = {"i"}, .read_file = files.reader()})),
              ::testing::HasSubstr("local size 5"));
}

TEST(Includes, AFileIsReadOnce) {
  Files files{.texts = {{"x.h", "int f();\n"}}};
  EXPECT_TRUE(glsl("#include \"x.h\"\n#include \"x.h\"\nvoid main() {}\n", {.read_file = files.reader()}));
  EXPECT_EQ(files.reads, 1);
}

TEST(Includes, ErrorsAreInTheIncludedFile) {
  Files files{.texts = {{"lib/a.glsl", "float f() {\n  return bar;\n}\n"}}};
  EXPECT_EQ(shown(glsl("#include \"lib/a.glsl\"\nvoid main() {}\n", {.read_file = files.reader()}).error(), true),
            "lib/a.glsl:2:10: error: Compilation error: `bar`: undeclared identifier [shader-compile]\n"
            "    2 |   return bar;\n"
            "      |          ^~~\n"
            "main.comp:2:13: error: Compilation error: syntax error, unexpected LEFT_BRACE, expecting SEMICOLON "
            "[shader-compile]\n"
            "    2 | void main() {}\n"
            "      |             ^\n");
}

TEST(Includes, MissingFiles) {
  Files files{.texts = {{"d/a.h", "\n#include \"b.h\"\n"}, {"d/u.h", "unreadable"}}};
  const Options options{.directory = "d", .include_dirs = {"i"}, .read_file = files.reader()};
  EXPECT_EQ(errors_of(glsl("#version 460\n#include \"a.h\"\nvoid main() {}\n", options)),
            "d/a.h:2:1: error: Compilation error: `#include`: no such file in `d`, `i` for header name: b.h "
            "[shader-compile]\n");
  EXPECT_EQ(errors_of(glsl("#include \"b.h\"\nvoid main() {}\n", {.read_file = files.reader()})),
            "main.comp:1:1: error: Compilation error: `#include`: no such file in `.` for header name: b.h "
            "[shader-compile]\n");
  EXPECT_EQ(
      errors_of(glsl("#include \"u.h\"\nvoid main() {}\n", options)),
      "main.comp:1:1: error: Compilation error: `#include`: could not read it for header name: u.h [shader-compile]\n");
}

TEST(Includes, EndlessIncludesEnd) {
  Files files{.texts = {{"a.h", "#include \"a.h\"\n"}, {"b.h", "#include \"c.h\"\n"}, {"c.h", "#include \"b.h\"\n"}}};
  for (const char* text : {"#include \"a.h\"\nvoid main() {}\n", "#include \"b.h\"\nvoid main() {}\n"}) {
    EXPECT_THAT(errors_of(glsl(text, {.read_file = files.reader()})),
                ::testing::HasSubstr("more than 200 includes in each other or 10000 in all"));
  }
}

TEST(Includes, AShaderMayIncludeItself) {
  EXPECT_TRUE(glsl("#ifndef ONCE\n#define ONCE\n#include \"main.comp\"\nvoid main() {}\n#endif\n"));
}

TEST(Includes, FilesOnDisk) {
  const Path directory = std::filesystem::temp_directory_path() / "slipway_include_test";
  ASSERT_TRUE(write_file(directory / "inc" / "n.h", "#define N 7\n"));
  EXPECT_THAT(reflection_of(glsl("#include \"inc/n.h\"\nlayout(local_size_x = N) in;\nvoid main() {}\n",
                                 {.directory = directory})),
              ::testing::HasSubstr("local size 7"));
  std::filesystem::remove_all(directory);
}

// --- HLSL ----------------------------------------------------------------------------------------------------------

TEST(Hlsl, ComputeShader) {
  EXPECT_EQ(reflection_of(hlsl("[[vk::binding(3, 1)]] RWStructuredBuffer<float> data;\n[numthreads(8, 2, 1)]\n"
                               "void twice(uint3 id : SV_DispatchThreadID) { data[id.x] *= 2; }\n",
                               {.entry = "twice"})),
            "SPIR-V 1.6\n"
            "capability Shader\n"
            "instruction set GLSL.std.450\n"
            "compute `twice`\n"
            "  local size 8 x 2 x 1\n"
            "  binding 1.3 `data`: storage buffer, 0 bytes + n * 4, read, written\n");
}

TEST(Hlsl, RegistersAndFreeBindings) {
  const Result<Compiled> compiled = hlsl(
      "RWStructuredBuffer<float> a : register(u2);\nRWStructuredBuffer<float> b;\n[numthreads(1, 1, 1)]\n"
      "void main() { a[0] = b[0]; }\n");
  EXPECT_THAT(reflection_of(compiled),
              ::testing::AllOf(::testing::HasSubstr("binding 0.2 `a`: storage buffer, 0 bytes + n * 4, written"),
                               ::testing::HasSubstr("binding 0.0 `b`: storage buffer, 0 bytes + n * 4, read")));
  (void)assembly_of(compiled);
}

TEST(Hlsl, Includes) {
  Files files{.texts = {{"i/n.h", "#define N 6\n"}}};
  EXPECT_THAT(reflection_of(hlsl("#include \"n.h\"\n[numthreads(N, M, 1)]\nvoid main() {}\n",
                                 {.macros = {{"M", "2"}}, .include_dirs = {"i"}, .read_file = files.reader()})),
              ::testing::HasSubstr("local size 6 x 2 x 1"));
}

TEST(Hlsl, SixteenBitTypesSuggestOtherLanguages) {
  EXPECT_THAT(
      errors_of(hlsl("[numthreads(1, 1, 1)]\nvoid main() {\n  float16_t x = 1;\n}\n")),
      ::testing::StartsWith(
          "main.hlsl:3:3: error: Compilation error: `float16_t`: unknown variable; the built-in HLSL front "
          "end does not have 16-bit types; `run` and `check` of scenarios take `--hlsl-compiler dxc` to use the "
          "program dxc, and GLSL and SPIR-V need no other program [shader-compile]\n"));
  EXPECT_THAT(errors_of(hlsl("[numthreads(1, 1, 1)]\nvoid main() {\n  uint16_t4 x;\n}\n")),
              ::testing::HasSubstr("does not have 16-bit types"));
  EXPECT_THAT(errors_of(hlsl("[numthreads(1, 1, 1)]\nvoid main() {\n  foo x;\n}\n")),
              ::testing::Not(::testing::HasSubstr("use GLSL or SPIR-V")));
}

TEST(Hlsl, EntryPointsMustBeThere) {
  EXPECT_EQ(
      errors_of(hlsl("[numthreads(1, 1, 1)]\nvoid other() {}\n")),
      "main.hlsl: error: Compilation error: entry point `main` not found; the shader has `other` [shader-compile]\n");
}

constexpr std::string_view kBuffer = "[[vk::binding(0, 0)]] RWStructuredBuffer<float> values;\n";
constexpr std::string_view kMain = "[numthreads(4, 1, 1)] void main(uint3 id : SV_DispatchThreadID) ";

TEST(Hlsl, PushConstantsAreAVariable) {
  const std::string structure = "struct S { float3 a; float b; float2x2 m; };\n";
  const std::string body = "{ S copy = s; values[id.x] = copy.b + s.m[0][1]; }\n";
  const ::testing::Matcher<std::string> expected = ::testing::AllOf(
      ::testing::HasSubstr("  binding 0.0 `values`: storage buffer"), ::testing::HasSubstr("push constants"),
      ::testing::HasSubstr("32 bytes"), ::testing::Not(::testing::HasSubstr("Global")));
  for (const std::string declaration :
       {"[[vk::push_constant]] S s;\n", "[[vk::push_constant]]\nconst\nS s; // of all\n",
        "[[vk::push_constant]] [[vk::location(1)]] uniform S s;\n", "[[vk::push_constant]] cbuffer C { S s; }\n"}) {
    EXPECT_THAT(reflection_of(hlsl(formatted("{}{}{}{}{}", structure, declaration, kBuffer, kMain, body))), expected)
        << declaration;
  }
  for (const std::string name : {"S", ""}) {
    EXPECT_THAT(reflection_of(hlsl(formatted("[[vk::push_constant]] struct {} {{ float3 a; float b; float2x2 m; }} s;\n"
                                             "{}{}{{ values[id.x] = s.b + s.m[0][1]; }}\n",
                                             name, kBuffer, kMain))),
                expected);
  }
}

TEST(Hlsl, SeveralAttributesInOneList) {
  EXPECT_THAT(reflection_of(hlsl(formatted("[[vk::binding(3, 1), vk::location(2)]] RWStructuredBuffer<float> values;\n"
                                           "{}{{ values[id.x] = 1; }}\n",
                                           kMain))),
              ::testing::HasSubstr("binding 1.3 `values`"));
}

TEST(Hlsl, AttributesThatAreIgnored) {
  const Result<Compiled> compiled = hlsl(formatted(
      "{}[WaveSize(32)] [RootSignature(\"\")] [shader(\"compute\")]\n{}{{ values[id.x] = 1; }}\n", kBuffer, kMain));
  ASSERT_TRUE(compiled) << errors_of(compiled);
  EXPECT_EQ(
      shown(compiled->warnings),
      "main.hlsl:2:2: warning: Compilation warning: `WaveSize`: unrecognized attribute; the built-in HLSL front end "
      "does not have this attribute, and ignores it; `run` and `check` of scenarios take `--hlsl-compiler dxc` to "
      "use the program dxc, and GLSL and SPIR-V need no other program [shader-compile]\n");
  // The same text in a comment, in text and in code that is left out.
  EXPECT_EQ(errors_of(hlsl(formatted(
                "// [[vk::offset(4)]]\n#if 0\n[[vk::offset(4)]] float a;\n#endif\n{}{}{{ values[id.x] = 1; }}\n",
                kBuffer, kMain))),
            "compiled\n");
}

TEST(Hlsl, AttributesThatChangeTheResult) {
  constexpr std::string_view kHint =
      ": unrecognized attribute; the built-in HLSL front end does not have this attribute, which changes what the "
      "shader "
      "does; `run` and `check` of scenarios take `--hlsl-compiler dxc` to use the program dxc, and GLSL and SPIR-V "
      "need "
      "no other program [shader-compile]\n";
  EXPECT_EQ(errors_of(hlsl(formatted("[[vk::binding(0, 0), vk::counter_binding(1)]] RWStructuredBuffer<float> values;\n"
                                     "{}{{ values[values.IncrementCounter()] = 1; }}\n",
                                     kMain))),
            formatted("main.hlsl:1:26: error: Compilation error: `counter_binding`{}", kHint));
  EXPECT_EQ(errors_of(hlsl(formatted("struct S {{ [[vk::offset(16)]] float b; }};\n[[vk::push_constant]] S s;\n"
                                     "{}{}{{ values[id.x] = s.b; }}\n",
                                     kBuffer, kMain))),
            formatted("main.hlsl:1:18: error: Compilation error: `offset`{}", kHint));
}

TEST(Hlsl, IsForComputeOnly) {
  EXPECT_EQ(errors_of(hlsl("void main() {}\n", {.stage = spirv::Stage::Fragment})),
            "main.hlsl: error: no fragment shaders in HLSL, only compute shaders; use GLSL or SPIR-V [unsupported]\n");
}

// --- SPIR-V --------------------------------------------------------------------------------------------------------

const char kAssembly[] =
    "OpCapability Shader\nOpMemoryModel Logical GLSL450\nOpEntryPoint GLCompute %main \"main\"\n"
    "OpExecutionMode %main LocalSize 1 1 1\n%void = OpTypeVoid\n%fn = OpTypeFunction %void\n"
    "%main = OpFunction %void None %fn\n%l = OpLabel\nOpReturn\nOpFunctionEnd\n";

TEST(Spirv, AssemblyAndBinary) {
  const Result<Compiled> assembled = compile(make_source("a.spvasm", kAssembly), Language::SpirvAssembly);
  EXPECT_THAT(reflection_of(assembled), ::testing::HasSubstr("compute `main`"));
  const std::string binary(slipway::text_of(std::as_bytes(std::span(assembled->words))));
  const Result<Compiled> read = compile(make_source("a.spv", binary), Language::Spirv);
  ASSERT_TRUE(read);
  EXPECT_EQ(read->words, assembled->words);
  EXPECT_TRUE(read->dependencies.empty());
}

TEST(Spirv, Errors) {
  EXPECT_EQ(errors_of(compile(make_source("a.spvasm", "OpCapability Foo\n"), Language::SpirvAssembly)),
            "a.spvasm:1:14: error: Compilation error: Invalid capability 'Foo'. [shader-compile]\n");
  EXPECT_EQ(errors_of(compile(make_source("a.spv", "12345"), Language::Spirv)),
            "a.spv:0x4: error: SPIR-V shader file size must be a multiple of 4 bytes. This one has 5 [file-format]\n");
}

// --- threads -------------------------------------------------------------------------------------------------------

TEST(Compile, SeveralThreads) {
  constexpr int kThreads = 8;
  std::vector<std::string> results(kThreads);
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < kThreads; ++i) {
      threads.emplace_back([&results, i] {
        for (int round = 0; round < 4; ++round) {
          const Options options{.macros = {{"N", std::to_string(i + 1)}}};
          const Result<Compiled> compiled = i % 4 == 3
                                                ? hlsl("[numthreads(N, 1, 1)]\nvoid main() {}\n", options)
                                                : glsl("layout(local_size_x = N) in;\nvoid main() {}\n", options);
          results[i] = reflection_of(compiled);
        }
      });
    }
  }
  for (int i = 0; i < kThreads; ++i) EXPECT_THAT(results[i], ::testing::HasSubstr(formatted("local size {} x", i + 1)));
}

}  // namespace
}  // namespace slipway::shader
