// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <map>
#include <thread>

#include "slipway/rpl.h"

namespace slipway::rpl_c {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr std::string_view kPass = R"(
global colored: flag on;
vertex_attribute_container vertex { f3 position; pack (unorm8) f4 color; };
set_pass uniform_buffer view { f4x4 projection; f4 tint; };
push_constant draw { f4 offset; f4[2] weights; };
state_container state { f4 color; };
color_output_container target { f4 color; };
setting cull_mode = "none";
setting color_output_format block 0 = "r8g8b8a8_unorm";
void vertex_main (void)
{
    state.color = vertex.color + draw.offset;
    vertex_stage_output_position (view.projection * f4 {vertex.position, 1.0});
}
)";
constexpr std::string_view kMaterial = R"(
instance steps: uint 2;
set_material image_color_2d albedo;
set_material sampler linear;
void fragment_main (void)
{
    f4 color = view.tint * sample (linear, albedo, f2 {0.5});
    conditional (colored) { color = color * state.color; }
    for (u1 i = 0u; i < steps; i = i + 1u) { color = color + f4 {0.1, 0.1, 0.1, 0.0}; }
    target.color = color;
}
)";

// Files in memory.
struct Files {
  std::map<std::string, std::pair<std::string, std::uint64_t>> contents;  // texts and stamps
  std::size_t reads = 0;

  static rpl_status read(const char* path, rpl_status (*give)(const char*, size_t, void*), void* to, void* user) {
    auto& self = *static_cast<Files*>(user);
    ++self.reads;
    const auto found = self.contents.find(path);
    return found == self.contents.end() ? RPL_FAILED : give(found->second.first.data(), found->second.first.size(), to);
  }
  static std::uint64_t stamp(const char* path, void* user) {
    auto& self = *static_cast<Files*>(user);
    const auto found = self.contents.find(path);
    return found == self.contents.end() ? 0 : found->second.second;
  }
  void set(const std::string& path, std::string_view text) {
    auto& [known, stamp] = contents[path];
    known = text;
    ++stamp;
  }
};

struct Compiler {
  Files files;
  rpl_compiler* compiler;

  Compiler() {
    rpl_compiler_options options{};
    options.size = sizeof options;
    options.files = {Files::read, Files::stamp, &files};
    compiler = rpl_compiler_create(&options);
    files.set("pass.rpl", kPass);
    files.set("material.rpl", kMaterial);
  }
  ~Compiler() { rpl_compiler_release(compiler); }
  rpl_program* load(std::vector<const char*> names = {"pass.rpl", "material.rpl"}, rpl_problems* problems = nullptr) {
    rpl_program* program = nullptr;
    rpl_program_load(compiler, names.data(), names.size(), &program, problems);
    return program;
  }
};

constexpr std::array<rpl_entry_point_name, 2> kEntries = {
    {{RPL_STAGE_VERTEX, "vertex_main"}, {RPL_STAGE_FRAGMENT, "fragment_main"}}};

rpl_variant variant_of(const std::vector<rpl_option_value>& options = {}) {
  rpl_variant variant{};
  variant.size = sizeof variant;
  variant.entry_points = kEntries.data();
  variant.entry_point_count = kEntries.size();
  variant.options = options.data();
  variant.option_count = options.size();
  return variant;
}

// Owns a pipeline.
struct Made {
  rpl_status status;
  const rpl_pipeline* pipeline = nullptr;
  rpl_problems problems{};

  Made(rpl_program* program, const std::vector<rpl_option_value>& options = {}) {
    const rpl_variant variant = variant_of(options);
    status = rpl_program_compile(program, &variant, &pipeline, &problems);
  }
  Made(const Made&) = delete;
  ~Made() {
    rpl_pipeline_release(pipeline);
    rpl_problems_free(&problems);
  }
};

std::vector<std::string> strings(const rpl_texts& texts) { return {texts.begin(), texts.end()}; }

TEST(RplC, GivesSpirvAndAllMetadata) {
  Compiler compiler;
  rpl_program* program = compiler.load();
  ASSERT_NE(program, nullptr);
  const Made made(program, {{"steps", "3"}});
  ASSERT_EQ(made.status, RPL_OK);
  const rpl_pipeline& pipeline = *made.pipeline;
  ASSERT_EQ(pipeline.modules.count, 1);
  EXPECT_EQ(pipeline.modules[0].words[0], 0x07230203);
  ASSERT_EQ(pipeline.modules[0].entry_points.count, 2);
  EXPECT_EQ(pipeline.modules[0].entry_points[1].stage, RPL_STAGE_FRAGMENT);
  EXPECT_STREQ(pipeline.modules[0].entry_points[1].function.data, "fragment_main");

  const rpl_metadata& metadata = pipeline.metadata;
  ASSERT_EQ(metadata.pipeline_interface.attribute_sources.count, 1);
  EXPECT_EQ(metadata.pipeline_interface.attribute_sources[0].attributes[0].type.rows, 3);
  EXPECT_EQ(metadata.pipeline_interface.attribute_sources[0].attributes[1].vk_format, 37);  // VK_FORMAT_R8G8B8A8_UNORM
  ASSERT_EQ(metadata.pipeline_interface.sets[0].buffers.count, 1);
  EXPECT_EQ(metadata.pipeline_interface.sets[0].buffers[0].main_size, 80);
  EXPECT_EQ(metadata.pipeline_interface.sets[0].buffers[0].main_parameters[0].type.columns, 4);
  EXPECT_EQ(metadata.pipeline_interface.sets[1].samplers[0].name, "linear");
  EXPECT_EQ(metadata.pipeline_interface.sets[1].images[0].type, "color_2d");
  EXPECT_EQ(metadata.pipeline_interface.push_constant_name, "draw");
  EXPECT_EQ(metadata.pipeline_interface.push_constant_size, 48);
  ASSERT_EQ(metadata.push_constant_parameters.count, 2);
  EXPECT_EQ(metadata.push_constant_parameters[1].name, "weights");
  EXPECT_EQ(metadata.push_constant_parameters[1].offset, 16);
  EXPECT_THAT(std::vector<std::uint32_t>(metadata.push_constant_parameters[1].dimensions.begin(),
                                         metadata.push_constant_parameters[1].dimensions.end()),
              ElementsAre(2));
  EXPECT_EQ(metadata.color_outputs[0].format, 37);
  EXPECT_EQ(metadata.color_outputs[0].write_a, 1);
  ASSERT_EQ(metadata.options.count, 2);
  EXPECT_EQ(metadata.options[1].value, "3u");
  EXPECT_EQ(metadata.options[1].default_value, "2u");
  EXPECT_THAT(strings(metadata.consulted.fragment), ElementsAre("colored", "steps"));
  EXPECT_THAT(strings(metadata.consulted.vertex), ElementsAre());
  EXPECT_THAT(std::string(rpl_pipeline_json(made.pipeline)), HasSubstr(std::string(metadata.hashes.pipeline)));
  EXPECT_THAT(std::string(rpl_pipeline_json(made.pipeline)), HasSubstr("\"push_constant_parameters\": ["));

  const rpl_options options = rpl_program_options(program);
  ASSERT_EQ(options.count, 2);
  EXPECT_EQ(options[0].type, RPL_OPTION_TYPE_FLAG);
  EXPECT_EQ(options[0].default_value, "true");
  EXPECT_EQ(options[1].option_class, RPL_OPTION_CLASS_INSTANCE);
  EXPECT_THAT(strings(rpl_program_files(program)), ElementsAre("pass.rpl", "material.rpl"));
  rpl_program_release(program);
}

TEST(RplC, SharesModulesOfPrograms) {
  Compiler compiler;
  compiler.files.set("other.rpl", "void fragment_main (void) { target.color = view.tint; }");
  rpl_program* first = compiler.load();
  rpl_program* second = compiler.load({"pass.rpl", "other.rpl"});
  ASSERT_TRUE(first && second);
  EXPECT_EQ(compiler.files.reads, 3) << "the pass is read once";
  EXPECT_EQ(Made(second).status, RPL_OK);
  rpl_program_release(first);
  EXPECT_EQ(Made(second, {{"colored", "false"}}).status, RPL_OK);
  rpl_program_release(second);
}

TEST(RplC, SharesParsedTexts) {
  const Compiler compiler;
  std::array<rpl_parsed_module*, 2> modules{};
  ASSERT_EQ(rpl_module_parse(compiler.compiler, "pass", kPass.data(), kPass.size(), &modules[0], nullptr), RPL_OK);
  ASSERT_EQ(rpl_module_parse(compiler.compiler, "material", kMaterial.data(), kMaterial.size(), &modules[1], nullptr),
            RPL_OK);
  rpl_program* program = nullptr;
  ASSERT_EQ(rpl_program_create(compiler.compiler, modules.data(), 2, &program, nullptr), RPL_OK);
  for (rpl_parsed_module* module : modules) rpl_module_release(module);
  EXPECT_EQ(Made(program).status, RPL_OK);
  EXPECT_EQ(rpl_program_changed(program), 0);
  EXPECT_EQ(rpl_program_files(program).count, 0);
  rpl_program_release(program);
}

TEST(RplC, KeepsPipelines) {
  Compiler compiler;
  rpl_program* program = compiler.load();
  const Made first(program), again(program), same(program, {{"colored", "on"}}), other(program, {{"colored", "off"}});
  EXPECT_EQ(first.pipeline, again.pipeline);
  EXPECT_EQ(first.pipeline, same.pipeline) << "the default, written out";
  EXPECT_NE(first.pipeline, other.pipeline);
  rpl_program_forget(program);
  const Made anew(program);
  EXPECT_NE(anew.pipeline, first.pipeline);
  rpl_program_release(program);
  EXPECT_EQ(anew.pipeline->metadata.hashes.pipeline, std::string_view(first.pipeline->metadata.hashes.pipeline))
      << "pipelines outlive their program";
}

TEST(RplC, ReportsProblemsWithTheirLocations) {
  Compiler compiler;
  compiler.files.set("bad.rpl", "void main (void) {\n  f4 x = ;\n}\n");
  rpl_problems problems{};
  EXPECT_EQ(compiler.load({"bad.rpl", "missing.rpl"}, &problems), nullptr);
  ASSERT_EQ(problems.count, 2) << "all files are read";
  EXPECT_EQ(problems[0].severity, RPL_SEVERITY_ERROR);
  EXPECT_EQ(problems[0].status, RPL_BAD_INPUT);
  EXPECT_EQ(problems[0].location.file, "bad.rpl");
  EXPECT_EQ(problems[0].location.line, 2);
  EXPECT_EQ(problems[0].location.column, 10);
  EXPECT_EQ(problems[0].location.offset, 28);
  EXPECT_EQ(problems[1].kind, "file-not-found");
  rpl_problems_free(&problems);
  EXPECT_EQ(problems.count, 0);

  rpl_program* program = compiler.load();
  const Made made(program, {{"colour", "true"}, {"steps", "many"}});
  EXPECT_EQ(made.status, RPL_BAD_INPUT);
  EXPECT_EQ(made.pipeline, nullptr);
  ASSERT_EQ(made.problems.count, 2);
  EXPECT_EQ(made.problems[0].kind, "rpl-option-unknown");
  EXPECT_THAT(std::string(made.problems[1].text), HasSubstr("[rpl-option-type]"));
  EXPECT_EQ(Made(program).status, RPL_OK) << "a failed variant leaves the program usable";
  rpl_program_release(program);
}

TEST(RplC, RefusesWrongCalls) {
  Compiler compiler;
  rpl_program* program = compiler.load();
  const rpl_pipeline* pipeline = nullptr;
  rpl_variant variant = variant_of();
  EXPECT_EQ(rpl_program_compile(nullptr, &variant, &pipeline, nullptr), RPL_WRONG_CALL);
  variant.size = 0;
  EXPECT_EQ(rpl_program_compile(program, &variant, &pipeline, nullptr), RPL_WRONG_CALL);
  variant = variant_of();
  variant.options = nullptr;
  variant.option_count = 1;
  EXPECT_EQ(rpl_program_compile(program, &variant, &pipeline, nullptr), RPL_WRONG_CALL);
  rpl_program* none = program;
  EXPECT_EQ(rpl_program_create(compiler.compiler, nullptr, 1, &none, nullptr), RPL_WRONG_CALL);
  EXPECT_EQ(none, nullptr);
  rpl_program_release(program);
  EXPECT_EQ(rpl_set_allocator(nullptr), RPL_LACKS) << "the memory is that of the process";
  rpl_program_release(nullptr), rpl_pipeline_release(nullptr), rpl_module_release(nullptr);
}

TEST(RplC, ReadsMembersOfOldOptionsOnly) {
  // A program that was compiled before there were entry points: what lies after its structure is not read.
  struct OldVariant {
    std::size_t size;
    const rpl_option_value* options;
    std::size_t option_count;
  };
  union {
    OldVariant old;
    rpl_variant whole;
  } given;
  std::memset(&given, 0xFF, sizeof given);
  given.old = {sizeof(OldVariant), nullptr, 0};
  Compiler compiler;
  rpl_program* program = compiler.load();
  const rpl_pipeline* pipeline = nullptr;
  ASSERT_EQ(rpl_program_compile(program, &given.whole, &pipeline, nullptr), RPL_OK);
  EXPECT_EQ(pipeline->modules.count, 0) << "without entry points there is metadata only";
  rpl_pipeline_release(pipeline);
  rpl_program_release(program);
}

TEST(RplC, ReloadsOnlyWhatChanged) {
  Compiler compiler;
  rpl_program* program = compiler.load();
  const Made before(program);
  EXPECT_EQ(rpl_program_changed(program), 0);
  const std::size_t reads = compiler.files.reads;
  compiler.files.set("material.rpl", "broken");
  EXPECT_EQ(rpl_program_changed(program), 1);
  int reloaded = 1, attempts = 0;
  rpl_problems problems{};
  for (int frame = 0; frame < 60; ++frame) {
    if (rpl_program_changed(program) == 0) continue;
    ++attempts;
    EXPECT_EQ(rpl_program_reload(program, &reloaded, &problems), RPL_BAD_INPUT);
    EXPECT_EQ(problems.count, 1);
    rpl_problems_free(&problems);
  }
  EXPECT_EQ(attempts, 1) << "the same contents are not tried twice";
  EXPECT_EQ(reloaded, 0);
  EXPECT_EQ(Made(program).pipeline, before.pipeline) << "the program is what it was";

  compiler.files.set("material.rpl", "void fragment_main (void) { target.color = view.tint; }");
  EXPECT_EQ(rpl_program_changed(program), 1);
  EXPECT_EQ(rpl_program_reload(program, &reloaded, nullptr), RPL_OK);
  EXPECT_EQ(reloaded, 1);
  EXPECT_EQ(compiler.files.reads, reads + 2) << "the pass is not read again";
  EXPECT_NE(Made(program).pipeline, before.pipeline);
  EXPECT_EQ(rpl_program_options(program).count, 1);
  EXPECT_EQ(rpl_program_reload(program, &reloaded, nullptr), RPL_OK);
  EXPECT_EQ(reloaded, 0);
  compiler.files.contents.erase("pass.rpl");
  EXPECT_EQ(rpl_program_changed(program), 1) << "a file that is missing";
  EXPECT_EQ(rpl_program_reload(program, &reloaded, nullptr), RPL_BAD_INPUT);
  rpl_program_release(program);
}

TEST(RplC, CompilesOnManyThreads) {
  Compiler compiler;
  rpl_program* program = compiler.load();
  std::array<std::array<const rpl_pipeline*, 16>, 8> made{};
  {
    std::vector<std::jthread> threads;
    for (auto& mine : made) {
      threads.emplace_back([&] {
        for (std::size_t i = 0; i < mine.size(); ++i) {
          const std::string steps = std::to_string(i);
          const std::vector<rpl_option_value> options = {{"steps", steps.c_str()}};
          const rpl_variant variant = variant_of(options);
          rpl_program_compile(program, &variant, &mine[i], nullptr);
        }
      });
    }
  }
  for (const auto& mine : made) {
    EXPECT_EQ(mine, made[0]);
    for (const rpl_pipeline* pipeline : mine) {
      ASSERT_NE(pipeline, nullptr);
      rpl_pipeline_release(pipeline);
    }
  }
  rpl_program_release(program);
}

TEST(RplC, ListsVariantsWithTheirReasons) {
  Compiler compiler;
  rpl_program* program = compiler.load();
  const std::array values = {"1", "2"};
  const rpl_domain steps = {"steps", values.data(), values.size()};
  const rpl_variant variant = variant_of();
  rpl_variants_options options{};
  options.size = sizeof options;
  options.variant = &variant;
  options.domains = &steps;
  options.domain_count = 1;
  rpl_variants variants{};
  ASSERT_EQ(rpl_program_variants(program, &options, &variants, nullptr), RPL_OK);
  EXPECT_EQ(variants.assignments, 4);
  std::vector<std::string> reasons;
  for (const rpl_variant_class& of : variants) {
    reasons.emplace_back(of.reason.data);
    std::vector<rpl_option_value> when(of.when[0].begin(), of.when[0].end());
    EXPECT_EQ(Made(program, when).pipeline, of.pipeline) << "the same object as that of the variant";
  }
  EXPECT_THAT(reasons, ::testing::UnorderedElementsAre("default", "steps=1u: fragment", "colored=false: fragment",
                                                       "colored=false, steps=1u: fragment"));
  rpl_variants_free(&variants);

  options.max_variants = 3;
  rpl_problems problems{};
  EXPECT_EQ(rpl_program_variants(program, &options, &variants, &problems), RPL_BAD_INPUT);
  ASSERT_EQ(problems.count, 1);
  EXPECT_EQ(problems[0].kind, "rpl-variant-limit");
  rpl_problems_free(&problems);
  rpl_program_release(program);
}

}  // namespace
}  // namespace slipway::rpl_c
