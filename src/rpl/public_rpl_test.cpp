// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <thread>
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

TEST(PublicRpl, GivesSpirvAndWhatAPipelineNeeds) {
  const auto program = RplProgram::parse({{"triangle.rpl", kTriangle}});
  ASSERT_TRUE(program) << program.error().front().text;
  const auto made = program->compile(triangle());
  ASSERT_TRUE(made) << made.error().front().text;
  const RplPipeline& pipeline = **made;
  ASSERT_EQ(pipeline.modules.size(), 1);
  EXPECT_EQ(pipeline.modules[0].words.at(0), 0x07230203);
  ASSERT_EQ(pipeline.modules[0].entry_points.size(), 2);
  EXPECT_EQ(pipeline.modules[0].entry_points[1].stage, "fragment");

  const RplMetadata& metadata = pipeline.metadata;
  ASSERT_EQ(metadata.attribute_sources.size(), 1);
  const RplAttributeSource& source = metadata.attribute_sources[0];
  EXPECT_FALSE(source.per_instance);
  ASSERT_EQ(source.attributes.size(), 2);
  EXPECT_EQ(source.attributes[0].type.rows, 3);
  EXPECT_EQ(source.attributes[0].vk_format, 106);  // VK_FORMAT_R32G32B32_SFLOAT
  EXPECT_EQ(source.attributes[1].vk_format, 37);   // VK_FORMAT_R8G8B8A8_UNORM
  ASSERT_EQ(metadata.sets[0].buffers.size(), 1);
  EXPECT_EQ(metadata.sets[0].buffers[0].size, 80);
  ASSERT_EQ(metadata.sets[0].buffers[0].parameters.size(), 2);
  EXPECT_EQ(metadata.sets[0].buffers[0].parameters[0].type.columns, 4);
  ASSERT_EQ(metadata.color_outputs.size(), 1);
  EXPECT_EQ(metadata.color_outputs[0].vk_format, 37);
  EXPECT_EQ(metadata.color_outputs[0].write_mask, 0xF);
  EXPECT_EQ(metadata.settings.cull_mode, 0);
  EXPECT_NE(pipeline.metadata_json().find(metadata.pipeline_hash), std::string::npos);
}

TEST(PublicRpl, ListsTheOptions) {
  const auto program = RplProgram::parse({{"triangle.rpl", kTriangle}});
  ASSERT_TRUE(program);
  const std::vector<RplOption> options = program->options();
  ASSERT_EQ(options.size(), 2);
  EXPECT_EQ(options[0].name, "colored");
  EXPECT_FALSE(options[0].per_instance);
  EXPECT_EQ(options[0].default_value, "true");
  EXPECT_EQ(options[1].type, "uint");
  EXPECT_TRUE(options[1].per_instance);
}

TEST(PublicRpl, ProgramsThatWereMovedFromStayUsable) {
  auto program = RplProgram::parse({{"triangle.rpl", kTriangle}});
  ASSERT_TRUE(program);
  const RplProgram taken = std::move(*program);
  EXPECT_EQ(program->options().size(), 2);
  EXPECT_EQ(program->compile(triangle()).value(), taken.compile(triangle()).value());
}

TEST(PublicRpl, KeepsPipelines) {
  const auto program = RplProgram::parse({{"triangle.rpl", kTriangle}});
  ASSERT_TRUE(program);
  const auto first = program->compile(triangle()).value();
  EXPECT_EQ(program->compile(triangle()).value(), first);
  // The default, written out: another variant, but the same pipeline.
  EXPECT_EQ(program->compile(triangle({{"colored", "true"}})).value(), first);
  EXPECT_NE(program->compile(triangle({{"colored", "false"}})).value(), first);
  program->forget();
  const auto again = program->compile(triangle()).value();
  EXPECT_NE(again, first);
  EXPECT_EQ(again->modules[0].words, first->modules[0].words);
}

TEST(PublicRpl, ReportsAllProblemsOfAVariant) {
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

TEST(PublicRpl, ReportsProblemsOfTheSyntaxWithTheirPlace) {
  const auto program = RplProgram::parse({{"bad.rpl", "void main (void) {\n  f4 x = ;\n}\n"}});
  ASSERT_FALSE(program);
  EXPECT_EQ(program.error().front().file, "bad.rpl");
  EXPECT_EQ(program.error().front().line, 2);
  EXPECT_FALSE(RplProgram::parse({}));
}

TEST(PublicRpl, CompilesOnManyThreads) {
  const auto program = RplProgram::parse({{"triangle.rpl", kTriangle}});
  ASSERT_TRUE(program);
  std::array<std::array<std::shared_ptr<const RplPipeline>, 16>, 8> made;
  {
    std::vector<std::jthread> threads;
    for (auto& mine : made) {
      threads.emplace_back([&] {
        for (std::size_t i = 0; i < mine.size(); ++i) {
          mine[i] = program->compile(triangle({{"steps", std::to_string(i)}})).value();
        }
      });
    }
  }
  for (const auto& mine : made) EXPECT_EQ(mine, made[0]);
}

TEST(PublicRpl, NoticesChangedFiles) {
  const testing::ScratchDirectory scratch;
  const std::filesystem::path file = scratch.path() / "triangle.rpl";
  std::ofstream(file) << kTriangle;
  const auto program = RplProgram::load({file});
  ASSERT_TRUE(program) << program.error().front().text;
  EXPECT_THAT(program->files(), ElementsAre(file));
  EXPECT_FALSE(program->changed());
  std::ofstream(file, std::ios::app) << "\n";
  EXPECT_TRUE(program->changed());
  std::filesystem::remove(file);
  EXPECT_TRUE(program->changed());
  const auto missing = RplProgram::load({file, scratch.path() / "other.rpl"});
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().size(), 2) << "each missing file is reported";
}

}  // namespace
}  // namespace slipway
