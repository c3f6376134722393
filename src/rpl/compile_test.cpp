// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One variant from program to outputs.
#include "rpl/compile.hpp"

#include <gtest/gtest.h>

#include "base/format.hpp"
#include "base/print_diagnostic.hpp"
#include "base/sha256.hpp"
#include "rpl/emit/optimize.hpp"
#include "rpl/emit/testing.hpp"
#include "rpl/variants/variants.hpp"

namespace slipway::rpl {
namespace {

constexpr std::string_view kProgram = R"(
instance wide: flag off;
vertex_attribute_container vertex { f3 position; };
state_container state { f2 uv; };
set_pass uniform_buffer view { f4x4 projection_view; f4 unused; };
set_material sampler linear;
set_material image_color_2d albedo;
color_output_container target { f4 color; };
f4 shade (in f4 color, in f1 amount) { f4 sum = color; sum = sum * amount; return sum; }
void vertex_main (void)
{
    state.uv = vertex.position.xy;
    vertex_stage_output_position (view.projection_view * f4 {vertex.position, 1.0});
}
void fragment_main (void)
{
    f4 color = shade (sample (linear, albedo, state.uv), 0.5);
    conditional (wide) { color = shade (color, 2.0); }
    target.color = color;
}
)";
const std::vector<EntryPointName> kEntries = {{Stage::Vertex, "vertex_main"}, {Stage::Fragment, "fragment_main"}};

Compiled compiled(const CompileOptions& options) {
  Diagnostics diagnostics;
  const Program program = parse(make_source("p.rpl", std::string(kProgram)), diagnostics);
  std::optional<Compiled> made = Compiler().compile(program, {}, options, diagnostics);
  EXPECT_TRUE(made) << format_diagnostics(diagnostics.all());
  return made ? std::move(*made) : Compiled{};
}

// Structs of two members each: what they have multiplies.
TEST(RplCompile, NestedStructsDoNotMultiplyTheTime) {
  for (const auto& [leaf, problem] : {std::pair{"f1", "the buffers have more than 65536 parameters"},
                                      std::pair{"p[2]", "the buffers have more than 1048576 members"}}) {
    std::string program = formatted("struct p {{ f1 a; }};\nstruct t0 {{ {} a; }};\n", leaf);
    for (int i = 1; i < 40; ++i) program += formatted("struct t{} {{ t{} a; t{} b; }};\n", i, i - 1, i - 1);
    for (const int depth : {22, 39}) {
      Diagnostics diagnostics;
      const Program parsed = parse(make_source("p.rpl", program + formatted("set_pass uniform_buffer v {{ t{} x; }};\n"
                                                                            "f1 main (void) {{ return 1.0; }}\n",
                                                                            depth)),
                                   diagnostics);
      EXPECT_FALSE(Compiler().compile(parsed, {}, {.entry_points = {{Stage::Vertex, "main"}}}, diagnostics));
      EXPECT_NE(format_diagnostics(diagnostics.all(), {.sources = false}).find(problem), std::string::npos)
          << format_diagnostics(diagnostics.all(), {.sources = false});
    }
  }
}

bool calls_functions(const spirv::Words& words) {
  return disassembled(words).find("OpFunctionCall") != std::string::npos;
}

TEST(RplCompile, OptimizesTheModulesThatTheMetadataDescribes) {
  for (const Target target : kAllTargets) {
    for (const bool split : {false, true}) {
      CompileOptions options{.entry_points = kEntries, .spirv = {.target = target, .split_stages = split}};
      const Compiled plain = compiled(options);
      options.optimize = optimize_modules;
      const Compiled optimized = compiled(options);
      ASSERT_EQ(optimized.modules.size(), split ? 2u : 1u);
      for (std::size_t i = 0; i < optimized.modules.size(); ++i) {
        const spirv::Words& words = optimized.modules[i].words;
        EXPECT_EQ(problem_of(words, target), "") << name_of(target);
        EXPECT_LT(words.size(), plain.modules[i].words.size());
        EXPECT_FALSE(calls_functions(words));
        EXPECT_EQ(optimized.metadata.code[i].words, words.size());
        EXPECT_EQ(optimized.metadata.code[i].sha256, sha256_text(std::as_bytes(std::span(words))));
        EXPECT_EQ(optimized.metadata.code[i].stages, plain.metadata.code[i].stages);
      }
      EXPECT_TRUE(calls_functions(plain.modules.back().words));
      EXPECT_EQ(optimized.metadata.pipeline_interface, plain.metadata.pipeline_interface);
      EXPECT_EQ(optimized.metadata.hashes.interface_hash, plain.metadata.hashes.interface_hash);
      EXPECT_NE(optimized.metadata.hashes.pipeline, plain.metadata.hashes.pipeline);
    }
  }
}

TEST(RplCompile, OptimizesEveryVariant) {
  Diagnostics diagnostics;
  const Program program = parse(make_source("p.rpl", std::string(kProgram)), diagnostics);
  VariantOptions settings{.compile = {.entry_points = kEntries, .optimize = optimize_modules}, .emit = true};
  settings.domains = default_domains(program, {}, Vary::All);
  const std::optional<Variants> variants = find_variants(program, settings, diagnostics);
  ASSERT_TRUE(variants) << format_diagnostics(diagnostics.all());
  ASSERT_EQ(variants->modules.size(), 2u);
  for (const VariantModule& module : variants->modules) {
    EXPECT_EQ(problem_of(module.words, Target::Vulkan13), "");
    EXPECT_FALSE(calls_functions(module.words));
    EXPECT_EQ(module.file, sha256_text(std::as_bytes(std::span(module.words))).substr(0, 16) + ".spv");
  }
}

// The memory that a compiler keeps does not affect results: alternating programs compile as each does alone.
TEST(RplCompile, LeavesNothingBehind) {
  Diagnostics diagnostics;
  const Program first = parse(make_source("p.rpl", std::string(kProgram)), diagnostics);
  const Program second = parse(make_source("q.rpl",
                                           "color_output_container target { f4 color; f4 more; };\n"
                                           "void fragment_main (void) { f4 color = f4 {0.5}; "
                                           "target.color = color; target.more = color * 0.5; }\n"),
                               diagnostics);
  const std::vector<EntryPointName> fragment = {{Stage::Fragment, "fragment_main"}};
  const std::array<const Program*, 2> programs = {&first, &second};
  const std::array<CompileOptions, 2> options = {CompileOptions{.entry_points = kEntries},
                                                 CompileOptions{.entry_points = fragment}};
  Compiler kept;
  for (const std::size_t i : {0, 1, 0, 0, 1, 1, 0}) {
    const std::optional<Compiled> again = kept.compile(*programs[i], {}, options[i], diagnostics);
    const std::optional<Compiled> alone = Compiler().compile(*programs[i], {}, options[i], diagnostics);
    ASSERT_TRUE(again && alone) << format_diagnostics(diagnostics.all());
    EXPECT_EQ(again->modules[0].words, alone->modules[0].words);
    EXPECT_EQ(again->metadata, alone->metadata);
  }
}

}  // namespace
}  // namespace slipway::rpl
