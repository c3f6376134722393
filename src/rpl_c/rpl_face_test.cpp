// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <utility>

#include "slipway/rpl.hpp"
#include "testing/scratch_directory.hpp"

namespace slipway {
namespace {

using ::testing::ElementsAre;

constexpr const char* kTriangle = R"(
global colored: flag on;
instance steps: uint 2;
vertex_attribute_container vertex { f3 position; pack (unorm8) f4 color; };
set_pass uniform_buffer view { f4x4 projection; f4 tint; };
set_material image_color_2d albedo;
set_material sampler linear;
state_container state { f4 color; };
color_output_container target { f4 color; };
setting cull_mode = "none";
setting color_output_format block 0 = "r8g8b8a8_unorm";

void vertex_main (void)
{
    state.color = vertex.color;
    vertex_stage_output_position (view.projection * f4 {vertex.position, 1.0});
}

void fragment_main (void)
{
    f4 color = view.tint;
    conditional (colored) { color = color * state.color; }
    for (u1 i = 0u; i < steps; i = i + 1u) { color = color + f4 {0.1, 0.1, 0.1, 0.0}; }
    target.color = color;
}
)";

RplVariant triangle(std::map<std::string, std::string, std::less<>> options = {}) {
  RplVariant variant;
  variant.entry_points = {{"vertex", "vertex_main"}, {"fragment", "fragment_main"}};
  variant.options = std::move(options);
  return variant;
}

std::vector<std::string> kinds_of(const Problems& problems) {
  std::vector<std::string> kinds;
  for (const Problem& problem : problems) kinds.push_back(problem.kind);
  return kinds;
}

TEST(RplFace, GivesThePipelineOfC) {
  const auto program = RplProgram::parse({{"triangle.rpl", kTriangle}});
  ASSERT_TRUE(program) << program.error().front().text;
  Problems remarks;
  const auto made = program->compile(triangle(), &remarks);
  ASSERT_TRUE(made) << made.error().front().text;
  EXPECT_TRUE(remarks.empty());
  const RplPipeline& pipeline = **made;
  ASSERT_EQ(pipeline.modules.size(), 1);
  EXPECT_EQ(pipeline.modules[0].words[0], 0x07230203);
  std::vector<std::string> stages;
  for (const rpl_entry_point& entry : pipeline.modules[0].entry_points) stages.emplace_back(entry.function);
  EXPECT_THAT(stages, ElementsAre("vertex_main", "fragment_main"));
  EXPECT_NE(rpl_metadata_json(pipeline).find(pipeline.metadata.hashes.pipeline), std::string::npos);
  EXPECT_EQ(program->options().size(), 2);
  EXPECT_EQ(program->options()[0].name, "colored");
}

TEST(RplFace, ProgramsThatWereMovedFromStayUsable) {
  auto program = RplProgram::parse({{"triangle.rpl", kTriangle}});
  ASSERT_TRUE(program);
  const RplProgram taken = std::move(*program);  // NOLINT(performance-move-const-arg): as a user may write
  EXPECT_EQ(program->options().size(), 2);
  const RplPipelinePtr first = program->compile(triangle()).value();
  EXPECT_EQ(first, taken.compile(triangle()).value());
  program->forget();
  EXPECT_NE(taken.compile(triangle()).value(), first);
}

TEST(RplFace, ReportsAllProblemsOfAVariant) {
  const auto program = RplProgram::parse({{"triangle.rpl", kTriangle}});
  ASSERT_TRUE(program);
  RplVariant variant = triangle({{"coloured", "true"}, {"steps", "many"}});
  variant.entry_points.push_back({"fragmnt", "fragment_main"});
  variant.target = "vulkan2";
  const auto made = program->compile(variant);
  ASSERT_FALSE(made);
  EXPECT_THAT(kinds_of(made.error()),
              ::testing::UnorderedElementsAre("usage", "usage", "rpl-option-unknown", "rpl-option-type"));
  EXPECT_THROW((void)made.value(), Error);
  EXPECT_TRUE(program->compile(triangle())) << "a failed variant leaves the program usable";
}

TEST(RplFace, ReportsProblemsOfTheSyntaxWithTheirPlace) {
  const auto program = RplProgram::parse({{"bad.rpl", "void main (void) {\n  f4 x = ;\n}\n"}});
  ASSERT_FALSE(program);
  EXPECT_EQ(program.error().front().file, "bad.rpl");
  EXPECT_EQ(program.error().front().line, 2);
  EXPECT_FALSE(RplProgram::parse({}));
}

TEST(RplFace, ListsVariants) {
  const auto program = RplProgram::parse({{"triangle.rpl", kTriangle}});
  ASSERT_TRUE(program);
  const auto variants = program->variants(triangle());
  ASSERT_TRUE(variants);
  ASSERT_EQ(variants->size(), 2);
  const RplVariantClass& other = variants->at(variants->at(0).reason == "default" ? 1 : 0);
  EXPECT_EQ(other.reason, "colored=false: fragment");
  EXPECT_EQ(other.when.at(0).at("colored"), "false");
  EXPECT_EQ(program->compile(triangle({{"colored", "off"}})).value(), other.pipeline);
  EXPECT_FALSE(program->variants(triangle(), 1));
}

TEST(RplFace, ReloadsChangedFiles) {
  const testing::ScratchDirectory scratch;
  const std::filesystem::path file = scratch.path() / "triangle.rpl";
  std::ofstream(file) << kTriangle;
  const RplCompiler compiler;
  const auto program = RplProgram::load({file}, compiler);
  ASSERT_TRUE(program) << program.error().front().text;
  EXPECT_THAT(program->files(), ElementsAre(file));
  EXPECT_FALSE(program->changed());
  std::ofstream(file, std::ios::app) << "broken";
  EXPECT_TRUE(program->changed());
  EXPECT_FALSE(program->reload());
  EXPECT_FALSE(program->changed()) << "the same contents are not tried twice";
  std::ofstream(file) << kTriangle << "\n";
  EXPECT_TRUE(program->changed());
  const auto reloaded = program->reload();
  ASSERT_TRUE(reloaded);
  EXPECT_TRUE(*reloaded);
  std::filesystem::remove(file);
  EXPECT_TRUE(program->changed());
  const auto missing = RplProgram::load({file, scratch.path() / "other.rpl"});
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().size(), 2) << "each missing file is reported";
}

}  // namespace
}  // namespace slipway
