// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The contents of modules, rule by rule (docs/spec/rpl.md#emission-rules). Each module of `compile` is validated for
// its target.
#include <gmock/gmock.h>

#include "base/format.hpp"
#include "rpl/emit/optimize.hpp"
#include "rpl/emit/testing.hpp"
#include "testing/allocations.hpp"

namespace slipway::rpl {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

std::size_t count_of(std::string_view text, std::string_view what) {
  std::size_t count = 0;
  for (std::size_t at = text.find(what); at != std::string_view::npos; at = text.find(what, at + what.size())) ++count;
  return count;
}

const std::vector<EntryPointName> kCompute = {{Stage::Compute, "compute_main"}};
const std::vector<EntryPointName> kGraphics = {{Stage::Vertex, "vertex_main"}, {Stage::Fragment, "fragment_main"}};

std::string compute(std::string_view text, SpirvOptions options = {}) {
  const auto modules = compile(text, {.entries = kCompute, .pipeline = PipelineKind::Compute, .options = options});
  return modules.empty() ? "" : disassembled(modules[0].words);
}
std::string graphics(std::string_view text, SpirvOptions options = {}) {
  std::string all;
  for (const SpirvModule& module : compile(text, {.entries = kGraphics, .options = options})) {
    all += disassembled(module.words);
  }
  return all;
}

constexpr std::string_view kPicture = R"(
vertex_attribute_container vertex { f3 position; u2 ids; f4x4 model; };
state_container state { f2 uv; u1 layer; f4 never_used; s3 flat_one; };
color_output_container target { f4 color; };
set_pass uniform_buffer view { f4x4 projection; f4 unused; };
set_pass uniform_buffer dropped { f4 uses; };
set_material sampler smooth;
set_material sampler compare;
set_material image_color_2d albedo;
set_material image_color_2d[4] layers;
set_material image_depth_2d_array cascades;
struct nothing { f4 x; };
f4 common (in f2 uv) { return sample (smooth, albedo, uv); }
void vertex_main (void)
{
  state.uv = common (vertex.position.xy).xy;
  state.layer = vertex.ids.x;
  state.flat_one = s3 {s2 {vertex.ids}, 1};
  state.never_used = f4 {0.0};
  vertex_stage_output_position (view.projection * vertex.model * f4 {vertex.position, 1.0});
}
void fragment_main (void)
{
  if (state.uv.x < 0.0) { fragment_stage_discard (); }
  f4 color = common (state.uv) * sample (smooth, layers[state.layer], state.uv);
  color = color + sample (smooth, layers[2], state.uv);
  color.w = sample_dref (compare, cascades, state.layer, state.uv, 0.5);
  target.color = color * f1 {state.flat_one.x};
}
)";

TEST(RplModule, TargetsDiffer) {
  const std::string oldest = graphics(kPicture, {.target = Target::Vulkan11});
  const std::string middle = graphics(kPicture, {.target = Target::Vulkan12});
  const std::string newest = graphics(kPicture);
  EXPECT_THAT(oldest, AllOf(HasSubstr("OpKill"), HasSubstr("SPV_EXT_descriptor_indexing")));
  EXPECT_THAT(middle, AllOf(HasSubstr("OpKill"), Not(HasSubstr("OpExtension"))));
  EXPECT_THAT(newest,
              AllOf(HasSubstr("OpTerminateInvocation"), Not(HasSubstr("OpKill")), Not(HasSubstr("OpExtension"))));
  const std::uint32_t versions[] = {0x10300, 0x10500, 0x10600};
  for (std::size_t i = 0; i < 3; ++i) {
    const auto modules = compile(kPicture, {.entries = kGraphics, .options = {.target = kAllTargets[i]}});
    ASSERT_EQ(modules.size(), 1u);
    EXPECT_EQ(modules[0].words[0], 0x07230203u);
    EXPECT_EQ(modules[0].words[1], versions[i]);
    EXPECT_EQ(modules[0].words[2], 0u);
    EXPECT_EQ(modules[0].words[4], 0u);
  }
  // Before 1.4 the interface is only inputs and outputs.
  const auto interface = [](const std::string& text) {
    const std::size_t at = text.find("OpEntryPoint Vertex");
    return text.substr(at, text.find('\n', at) - at);
  };
  EXPECT_THAT(interface(oldest), AllOf(HasSubstr("%vertex_position"), Not(HasSubstr("%view"))));
  EXPECT_THAT(interface(newest), AllOf(HasSubstr("%vertex_position"), HasSubstr("%view"), HasSubstr("%smooth")));
}

TEST(RplModule, OnlyWhatIsUsedIsThere) {
  const std::string text = graphics(kPicture);
  EXPECT_THAT(text, AllOf(Not(HasSubstr("dropped")), Not(HasSubstr("nothing")), HasSubstr("common")));
  // For each stage that calls it.
  EXPECT_EQ(count_of(text, "OpFunction "), 4u);
  EXPECT_EQ(count_of(text, "OpTypeFloat"), 1u);
  EXPECT_EQ(count_of(text, "OpTypeVector %float 4"), 1u);
}

TEST(RplModule, SamplingHasTheFormOfItsStage) {
  const std::string text = graphics(kPicture);
  EXPECT_EQ(count_of(text, "OpImageSampleExplicitLod"), 1u);  // in the vertex stage
  EXPECT_EQ(count_of(text, "OpImageSampleImplicitLod"), 3u);
  EXPECT_EQ(count_of(text, "OpImageSampleDrefImplicitLod"), 1u);
  EXPECT_THAT(text, HasSubstr("OpTypeImage %float 2D 1 1 0 1 Unknown"));  // Depth, Arrayed
}

TEST(RplModule, VariablesAreDecorated) {
  const std::string text = graphics(kPicture);
  EXPECT_THAT(text, AllOf(HasSubstr("OpDecorate %vertex_model Location 2"), HasSubstr("OpDecorate %state_layer_0 Flat"),
                          HasSubstr("OpDecorate %state_flat_one_0 Flat"), Not(HasSubstr("%state_uv_0 Flat")),
                          HasSubstr("BuiltIn Position"), HasSubstr("MatrixStride 16")));
  const std::string data = compute(R"(
set_object read_only_storage_buffer a { f1 x; };
set_object read_write_storage_buffer b { f1 x; };
set_object read_write_storage_buffer c { f1 x; };
set_pass storage_image_f4_2d written;
set_pass storage_image_u1_2d read;
set_pass pack (unorm8) storage_image_f4_2d both;
set_pass storage_image_f4_3d neither;
void compute_main (void)
{
  c.x = a.x + b.x;
  image_store (written, u2 {0u}, f4 {f1 {image_load (read, u2 {1u})}});
  image_store (both, u2 {0u}, image_load (both, u2 {1u}));
  u3 size = image_size (neither);
}
)");
  for (const char* const both : {"%a_0 NonWritable", "%b_0 NonWritable", "%read NonWritable", "%written NonReadable",
                                 "%neither NonWritable", "%neither NonReadable"}) {
    EXPECT_THAT(data, HasSubstr(both));
  }
  for (const char* const none :
       {"%c_0 NonWritable", "%written NonWritable", "%both NonReadable", "%read NonReadable"}) {
    EXPECT_THAT(data, Not(HasSubstr(none)));
  }
  EXPECT_THAT(data, AllOf(HasSubstr("Rgba8"), HasSubstr("R32ui"), HasSubstr("OpCapability ImageQuery")));
}

TEST(RplModule, IndexedImagesAreNonUniformWhereverTheyGo) {
  constexpr std::string_view kText = R"(
state_container state { f2 uv; u1 layer; };
color_output_container target { f4 color; };
set_pass sampler s;
set_pass image_color_2d[8] many;
set_pass image_color_2d one;
f4 deep (in sampler with, in image_color_2d from) { return sample (with, from, state.uv); }
f4 through (in image_color_2d from, in sampler with) { return deep (with, from); }
void vertex_main (void) { state.uv = f2 {0.0}; state.layer = 1u; vertex_stage_output_position (f4 {0.0}); }
void fragment_main (void)
{
  target.color = through (many[state.layer], s) + through (many[3], s) + through (one, s) + deep (s, many[state.layer]);
}
)";
  const std::string text = graphics(kText);
  EXPECT_THAT(text, AllOf(HasSubstr("OpCapability ShaderNonUniform"),
                          HasSubstr("OpCapability SampledImageArrayNonUniformIndexing")));
  // Two instances of each function: the index and the chain twice, and the load and the sampled image once.
  EXPECT_EQ(count_of(text, " NonUniform"), 2 * 2 + 2u);
  EXPECT_EQ(count_of(text, "OpFunction "), 2 + 4u);
  EXPECT_THAT(graphics(kText, {.target = Target::Vulkan11}), HasSubstr("SPV_EXT_descriptor_indexing"));
}

TEST(RplModule, StorageImagesKeepTheirFormatThroughCalls) {
  const std::string text = compute(R"(
set_pass pack (float16) storage_image_f4_2d a;
set_pass storage_image_f4_2d b;
set_pass storage_image_s1_2d_array c;
void copy (in storage_image_f4_2d from, in storage_image_f4_2d to, in u2 at) { image_store (to, at, image_load (from, at)); }
void compute_main (void)
{
  u2 at = compute_stage_input_global_id ().xy;
  copy (a, b, at);
  copy (b, a, at);
  image_store (c, 1u, at, -image_load (c, 0u, at));
}
)");
  EXPECT_THAT(text, AllOf(HasSubstr("Rgba16f"), HasSubstr("Rgba32f"), HasSubstr("R32i")));
  EXPECT_EQ(count_of(text, "OpFunction "), 3u);
}

// Every function of every kind of image, in each stage and for each target.
TEST(RplModule, EveryImageFunctionIsValid) {
  const struct {
    const char* name;
    const char* at;     // for sampling
    const char* texel;  // for fetching; null for cubes
    bool dref;
  } kinds[] = {{"2d", "f2 {0.5}", "u2 {1u}", true},
               {"3d", "f3 {0.5}", "u3 {1u}", false},
               {"cube", "f3 {0.5}", nullptr, true},
               {"2d_array", "2u, f2 {0.5}", "2u, u2 {1u}", true}};
  std::string declarations = "set_pass sampler s; set_pass sampler compare;\n";
  std::string body;
  for (const char* const what : {"color", "depth"}) {
    const bool depth = std::string_view(what) == "depth";
    for (const auto& kind : kinds) {
      const std::string name = formatted("{}_{}", what, kind.name);
      declarations += formatted("set_pass image_{0} {0}; set_pass image_{0}[3] many_{0};\n", name);
      for (const std::string& image : {name, "many_" + name + "[1]", "many_" + name + "[u1 {sum.x}]"}) {
        body += formatted("  sum = sum + sample (s, {0}, {1}) + sample_lod (s, {0}, {1}, 2.0);\n", image, kind.at);
        if (kind.texel) body += formatted("  sum = sum + image_fetch ({}, {}, 1u);\n", image, kind.texel);
        if (depth && kind.dref) {
          body += formatted(
              "  sum.x = sum.x + sample_dref (compare, {0}, {1}, 0.5) + sample_dref_lod (compare, {0}, {1}, 0.5, "
              "1.0);\n",
              image, kind.at);
        }
        body += formatted("  sum.x = sum.x + f1 {{image_size ({}, 0u).x}};\n", image);
      }
    }
  }
  const std::string in_pictures = declarations +
                                  "color_output_container target { f4 color; };\n"
                                  "f4 all (in f4 start)\n{\n  f4 sum = start;\n" +
                                  body +
                                  "  return sum;\n}\n"
                                  "void vertex_main (void) { vertex_stage_output_position (all (f4 {0.0})); }\n"
                                  "void fragment_main (void) { target.color = all (f4 {1.0}); }\n";
  std::string storage;
  std::string loads;
  for (const char* const type : {"f4", "u4", "s4", "f1", "u1", "s1"}) {
    for (const char* const shape : {"2d", "3d", "2d_array"}) {
      const std::string name = formatted("{}_{}", type, shape);
      const char* const at = std::string_view(shape) == "2d"   ? "u2 {1u}"
                             : std::string_view(shape) == "3d" ? "u3 {1u}"
                                                               : "1u, u2 {1u}";
      storage += formatted("set_object storage_image_{0} {0}; set_object storage_image_{0}[2] many_{0};\n", name);
      loads += formatted("  image_store ({0}, {1}, image_load (many_{0}[i % 2u], {1}));\n", name, at);
      loads += formatted("  image_store (many_{0}[i], {1}, image_load ({0}, {1}));\n", name, at);
      loads += formatted("  i = i + image_size ({}).x;\n", name);
    }
  }
  const std::string in_compute =
      declarations + storage +
      "set_object read_write_storage_buffer result { f4 sum; };\nvoid compute_main (void)\n{\n"
      "  u1 i = compute_stage_input_local_index (); f4 sum;\n" +
      body + loads + "  result.sum = sum * f1 {i};\n}\n";
  for (const Target target : kAllTargets) {
    EXPECT_EQ(compile(in_pictures, {.entries = kGraphics, .options = {.target = target}}).size(), 1u);
    EXPECT_EQ(
        compile(in_compute, {.entries = kCompute, .pipeline = PipelineKind::Compute, .options = {.target = target}})
            .size(),
        1u);
  }
}

TEST(RplModule, StagesAlwaysMatch) {
  const std::string text = graphics(R"(
state_container state { f3 seen; u2 other; };
color_output_container target { f4 color; };
void vertex_main (void) { state.other = u2 {1u}; vertex_stage_output_position (f4 {0.0}); }
void fragment_main (void) { target.color = f4 {state.seen, f1 {state.other.x}}; }
)");
  // The vertex stage writes zero to what the fragment stage reads.
  EXPECT_THAT(text, AllOf(HasSubstr("OpStore %state_seen"), HasSubstr("OpConstantNull %v3float")));
}

TEST(RplModule, DepthStartsAsTheFragmentsOwn) {
  const std::string text = graphics(R"(
color_output_container target { f4 color; };
void deep (in f1 x) { if (x > 0.5) { fragment_stage_output_depth (x); } }
void vertex_main (void) { vertex_stage_output_point_size (2.0); vertex_stage_output_position (f4 {f1 {vertex_stage_input_vertex_index () + vertex_stage_input_instance_index ()}}); }
void fragment_main (void)
{
  deep (fragment_stage_input_coordinate ().x);
  if (fragment_stage_input_front_facing ()) { target.color = fragment_stage_derivative_width_f4 (f4 {fragment_stage_input_coordinate ().y}); }
}
)");
  EXPECT_THAT(text, AllOf(HasSubstr("DepthReplacing"), HasSubstr("OriginUpperLeft"), HasSubstr("BuiltIn FragDepth"),
                          HasSubstr("BuiltIn FrontFacing"), HasSubstr("BuiltIn PointSize")));
}

TEST(RplModule, OptionsChangeTheForm) {
  EXPECT_THAT(graphics(kPicture), AllOf(HasSubstr("OpName"), HasSubstr("OpMemberName"), Not(HasSubstr("OpLine"))));
  const std::string stripped = graphics(kPicture, {.strip = true});
  EXPECT_THAT(stripped, AllOf(Not(HasSubstr("OpName")), Not(HasSubstr("OpMemberName"))));
  const std::string lines = graphics(kPicture, {.debug_lines = true});
  EXPECT_THAT(lines, AllOf(HasSubstr("OpString \"test.rpl\""), HasSubstr("OpSource Unknown 0"), HasSubstr("OpLine %")));
  const auto split = compile(kPicture, {.entries = kGraphics, .options = {.split_stages = true}});
  ASSERT_EQ(split.size(), 2u);
  EXPECT_EQ(split[0].entry_points, std::vector<std::uint32_t>{0});
  EXPECT_EQ(split[1].entry_points, std::vector<std::uint32_t>{1});
  EXPECT_THAT(disassembled(split[0].words), AllOf(HasSubstr("OpEntryPoint Vertex"), Not(HasSubstr("Fragment"))));
  EXPECT_THAT(disassembled(split[1].words), AllOf(HasSubstr("OpEntryPoint Fragment"), Not(HasSubstr("Vertex "))));
}

TEST(RplModule, LinesNameTheirStatements) {
  const std::string text = compute(
      "set_object read_write_storage_buffer r { u1 x; };\n"
      "void compute_main (void)\n"
      "{\n"
      "  u1 i = 1u;\n"
      "  if (i == 2u) {\n"
      "    r.x = i;\n"
      "  }\n"
      "  r.x = 5u;\n"
      "}\n",
      {.debug_lines = true});
  for (const int line : {4, 5, 6, 8}) EXPECT_THAT(text, HasSubstr(formatted("OpLine %1 {} ", line))) << text;
}

TEST(RplModule, UndefinedInstructionsAreAvoided) {
  const std::string text = compute(
      "set_object read_write_storage_buffer r { s1 a; s1 b; };\n"
      "void compute_main (void) { r.a = r.a % r.b; }\n");
  EXPECT_THAT(text, AllOf(HasSubstr("OpSDiv"), Not(HasSubstr("OpSMod")), Not(HasSubstr("OpSRem"))));
}

TEST(RplModule, LocalsThatNothingWritesToAreValues) {
  const std::string text = compute(R"(
set_pass read_write_storage_buffer data { u1 count; f4... list; };
struct pair { f4 a; f4[2] b; };
pair make (in f4 x) { pair made; made.a = x; made.b[1] = x; return made; }
void compute_main (void) {
  u1 first = data.count;
  u1 same = first;
  f4 zero;
  f4 half = f4 {0.5};
  pair both = make (half + zero);
  pair indexed = make (half);
  data.list[same] = both.a + both.b[1] + indexed.b[first];
}
)");
  EXPECT_THAT(text, AllOf(HasSubstr("%first = OpLoad"), HasSubstr("%both = OpFunctionCall")));
  EXPECT_THAT(text, AllOf(HasSubstr("OpName %indexed"), HasSubstr("OpName %made"), Not(HasSubstr("OpName %same"))));
  EXPECT_EQ(count_of(text, " Function\n"), 2) << text;  // made, indexed
}

TEST(RplModule, VariablesAreComparedWithoutBranches) {
  constexpr std::string_view kProgram = R"(
set_pass read_write_storage_buffer data {{ u1 count; u1... list; }};
void compute_main (void) {{
  u1 a = data.count; u1[2] b; b[a] = a;
  for (u1 i = 0u; {}; i = i + 1u) {{ data.list[i] = b[1]; }}
}}
)";
  const std::string variables = compute(formatted(kProgram, "i < a && b[1] != i"));
  EXPECT_THAT(variables, AllOf(HasSubstr("OpLogicalAnd"), Not(HasSubstr("OpPhi"))));
  EXPECT_EQ(count_of(variables, "OpLabel"), 5) << variables;  // with those of the loop: header, body, step, merge
  for (const std::string_view memory : {"i < a && data.count != i", "i < 2u && b[i] != 0u"}) {
    EXPECT_THAT(compute(formatted(kProgram, memory)), AllOf(HasSubstr("OpPhi"), Not(HasSubstr("OpLogicalAnd"))));
  }
}

TEST(RplModule, ConstantsAreOneForEachBitPattern) {
  const std::string text = compute(
      "set_object read_write_storage_buffer r { f4 a; f1 b; f1 c; s1 d; };\n"
      "void compute_main (void) { r.a = f4 {1.0, 1.0, 0.5, 0.5 + 0.5}; r.b = 0.0; r.c = -0.0; r.d = 1065353216; }\n");
  EXPECT_EQ(count_of(text, "OpConstant %float"), 4u);  // 1, 0.5, 0, -0
  EXPECT_EQ(count_of(text, "OpConstantComposite"), 1u);
}

TEST(RplModule, WordsDependOnTheProgramAlone) {
  SpirvEmitter used;
  const auto words_of = [&](std::string_view text, SpirvEmitter& emitter, bool graphics_too) {
    Diagnostics diagnostics;
    const Program program = parse(make_source("test.rpl", std::string(text)), diagnostics);
    const auto resolved =
        resolve(program, {}, graphics_too ? kGraphics : kCompute,
                {.pipeline = graphics_too ? PipelineKind::Graphics : PipelineKind::Compute}, diagnostics);
    return resolved ? emitter.emit(*resolved).at(0).words : spirv::Words();
  };
  constexpr std::string_view kOther =
      "set_object read_write_storage_buffer r { f1[3] list; };\n"
      "void add (in out f1 x, in f1[3] of, in u1 i) { x = x + of[i]; }\n"
      "void compute_main (void) { f1 x; add (x, r.list, 2u); r.list[0] = x; }\n";
  SpirvEmitter fresh;
  const spirv::Words first = words_of(kPicture, fresh, true);
  words_of(kOther, used, false);
  words_of(kPicture, used, true);
  words_of(kOther, used, false);
  EXPECT_EQ(words_of(kPicture, used, true), first);
  EXPECT_FALSE(first.empty());
}

TEST(RplModule, SteadyEmissionAllocatesTheResultAlone) {
  Diagnostics diagnostics;
  const Program program = parse(make_source("test.rpl", std::string(kPicture)), diagnostics);
  const auto resolved = resolve(program, {}, kGraphics, {}, diagnostics);
  ASSERT_TRUE(resolved);
  SpirvEmitter emitter;
  emitter.emit(*resolved);
  const std::size_t before = testing::allocations_of_this_thread();
  const auto modules = emitter.emit(*resolved);
  // The list of modules, a module's list of entry points and its words.
  EXPECT_LE(testing::allocations_of_this_thread() - before, 4u);
  EXPECT_EQ(modules.size(), 1u);
}

TEST(RplModule, OptimizedModulesAreValidAndSmaller) {
  for (const Target target : kAllTargets) {
    const auto modules = compile(kPicture, {.entries = kGraphics, .options = {.target = target, .strip = true}});
    ASSERT_EQ(modules.size(), 1u);
    const Result<spirv::Words> optimized = optimize_spirv(modules[0], target);
    ASSERT_TRUE(optimized) << format_diagnostics(optimized.error());
    EXPECT_EQ(problem_of(*optimized, target), "");
    EXPECT_LT(optimized->size(), modules[0].words.size());
  }
}

// A program that exceeds the limits of SPIR-V is an error, not a module that does not validate.
TEST(RplModule, TheLimitsOfSpirvAreErrors) {
  const auto problem_of_text = [](const std::string& text) {
    Diagnostics diagnostics;
    const Program program = parse(make_source("test.rpl", text), diagnostics);
    EXPECT_FALSE(program.valid && resolve(program, {}, kCompute, {.pipeline = PipelineKind::Compute}, diagnostics));
    return format_diagnostics(diagnostics.all(), {.sources = false});
  };
  std::string declared, given, fields;
  for (int i = 0; i < 256; ++i) {
    declared += formatted("{}in f1 a{}", i == 0 ? "" : ", ", i);
    given += i == 0 ? "1.0" : ", 1.0";
  }
  EXPECT_THAT(
      problem_of_text(formatted("void f ({}) {{ }}\nvoid compute_main (void) {{ f ({}); }}\n", declared, given)),
      HasSubstr("`f` has 256 arguments, and a function has 255 at most [rpl-arg-count]"));
  for (int i = 0; i < 16384; ++i) fields += formatted("f1 a{}; ", i);
  EXPECT_THAT(problem_of_text(formatted("struct big {{ {} }};\nvoid compute_main (void) {{ big x; }}\n", fields)),
              HasSubstr("`big` has 16384 fields, and 16383 are possible [rpl-layout-size]"));
}

TEST(RplModule, TargetsHaveNames) {
  for (const Target target : kAllTargets) EXPECT_EQ(parse_target(name_of(target)), target);
  EXPECT_FALSE(parse_target("vulkan1.0"));
}

}  // namespace
}  // namespace slipway::rpl
