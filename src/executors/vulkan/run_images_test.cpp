// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cstdint>

#include "base/print_diagnostic.hpp"
#include "executors/vulkan/test_shaders/full_vert.hpp"
#include "executors/vulkan/test_shaders/gradient_frag.hpp"
#include "executors/vulkan/test_shaders/increment_comp.hpp"
#include "executors/vulkan/test_shaders/sample_comp.hpp"
#include "executors/vulkan/test_shaders/separate_comp.hpp"
#include "executors/vulkan/test_shaders/store_comp.hpp"
#include "testing/launch_fixture.hpp"

namespace slipway::launch {
namespace {

using RunImages = LaunchTest;
using Texels = std::vector<std::uint32_t>;  // R8G8B8A8: 0xAABBGGRR

Image rgba8(std::uint32_t width, std::uint32_t height) {
  return {.format = vk::Format::R8G8B8A8_UNORM, .extent = {width, height, 1}};
}

Contents pixels(std::initializer_list<std::uint32_t> values) { return contents_of(values); }

// The result of sample.comp for the centre of a level.
ResourceIndex add_sampling(Plan& plan, ResourceIndex image, float level, const Path& output) {
  std::get<Image>(plan.resources[image].kind).sampled = true;
  const ResourceIndex x = add_buffer(plan, "x", 16);
  plan.resources[x].outputs = {raw_output(output)};
  Step& step = add_dispatch(plan, add_shader(plan, "sample", sample_comp), {image, x});
  std::get<Dispatch>(step.action).push_constants = bytes_of<float>({level});
  return x;
}

Step& add_draw(Plan& plan, ResourceIndex image, ResourceIndex green, float blue, std::uint32_t level = 0) {
  const ShaderIndex vertex = add_shader(plan, "full", full_vert, spirv::Stage::Vertex);
  const ShaderIndex fragment = add_shader(plan, "gradient", gradient_frag, spirv::Stage::Fragment);
  Image& target = std::get<Image>(plan.resources[image].kind);
  target.color_attachment = true;
  plan.steps.push_back(
      {.name = "draw",
       .action = Draw{.vertex_shader = vertex,
                      .fragment_shader = fragment,
                      .extent = {std::max(1u, target.extent[0] >> level), std::max(1u, target.extent[1] >> level)},
                      .color_attachments = {{.image = image, .level = level}},
                      .bindings = {{.resource = green, .reads = true}},
                      .push_constants = bytes_of<float>({blue})},
       .origin = origin("/draw")});
  return plan.steps.back();
}

// --- contents --------------------------------------------------------------------------------------------------------

TEST_F(RunImages, ContentsInAndOut) {
  for (const vk::Tiling tiling : {vk::Tiling::Optimal, vk::Tiling::Linear}) {
    Plan plan;
    Image image = rgba8(3, 2);
    image.tiling = tiling;
    const ResourceIndex i = add_image(plan, "i", image), zero = add_image(plan, "zero", image);
    plan.resources[i].initial = {pixels({1, 2, 3, 4, 5, 6})};
    plan.resources[i].outputs = {raw_output(directory_ / "i.bin")};
    plan.resources[zero].outputs = {raw_output(directory_ / "zero.bin")};
    run_it(plan);
    EXPECT_EQ(read_raw<std::uint32_t>(directory_ / "i.bin"), (Texels{1, 2, 3, 4, 5, 6}));
    EXPECT_EQ(read_raw<std::uint32_t>(directory_ / "zero.bin"), Texels(6));
  }
}

TEST_F(RunImages, ContentsOfAnotherSize) {
  Plan plan;
  plan.resources[add_image(plan, "i", rgba8(2, 2))].initial = {pixels({1, 2, 3})};
  const Result<Report> report = try_run(plan);
  ASSERT_FALSE(report);
  EXPECT_EQ(format_diagnostics(report.error()),
            "/i: error: the contents have 12 bytes, but the resource has 16 [file-mismatch]\n  = at /i\n");
}

TEST_F(RunImages, StorageImages) {
  Plan plan;
  Image image = rgba8(2, 2);
  image.storage = true;
  const ResourceIndex i = add_image(plan, "i", image);
  plan.resources[i].outputs = {raw_output(directory_ / "i.bin")};
  add_dispatch(plan, add_shader(plan, "store", store_comp), {i}, {2, 2, 1});
  run_it(plan);
  EXPECT_EQ(read_raw<std::uint32_t>(directory_ / "i.bin"), (Texels{0xff000000, 0xff000001, 0xff000100, 0xff000101}));
}

// --- mips and samplers -----------------------------------------------------------------------------------------------

TEST_F(RunImages, MissingMipsAreMade) {
  Plan plan;
  Image image = rgba8(4, 4);
  image.mips = 3;
  const ResourceIndex i = add_image(plan, "i", image);
  const std::uint32_t o = 0, r = 0xff0000ff;
  plan.resources[i].initial = {pixels({o, o, r, r, o, o, r, r, o, o, r, r, o, o, r, r})};
  add_sampling(plan, i, 2, directory_ / "x.bin");
  run_it(plan);
  const std::vector<float> average = read_raw<float>(directory_ / "x.bin");
  EXPECT_NEAR(average.at(0), 0.5, 0.01);
  EXPECT_EQ(average.at(1), 0);
  EXPECT_NEAR(average.at(3), 0.5, 0.01);
}

TEST_F(RunImages, MipsAreMadeFromTheLastGivenLevel) {
  for (const float level : {0.0f, 1.0f, 2.0f}) {
    Plan plan;
    Image image = rgba8(4, 4);
    image.mips = 3;
    const ResourceIndex i = add_image(plan, "i", image);
    plan.resources[i].initial = {contents_of(std::vector<std::byte>(64, std::byte{51})),
                                 contents_of(std::vector<std::byte>(16, std::byte{255}))};
    add_sampling(plan, i, level, directory_ / "x.bin");
    run_it(plan);
    for (const float value : read_raw<float>(directory_ / "x.bin")) EXPECT_FLOAT_EQ(value, level == 0 ? 0.2f : 1.0f);
  }
}

TEST_F(RunImages, ViewsOfOneLevel) {
  Plan plan;
  Image image = rgba8(2, 2);
  image.mips = 2;
  const ResourceIndex i = add_image(plan, "i", image);
  plan.resources[i].initial = {contents_of(std::vector<std::byte>(16)), pixels({0xffffffff})};
  add_sampling(plan, i, 0, directory_ / "x.bin");
  std::get<Dispatch>(plan.steps[0].action).bindings[0].level = 1;
  run_it(plan);
  EXPECT_EQ(read_raw<float>(directory_ / "x.bin"), std::vector<float>(4, 1.0f));
}

TEST_F(RunImages, SeparateImagesAndSamplers) {
  Plan plan;
  Image image = rgba8(1, 1);
  image.sampled = true;
  image.sampler = {.address_mode = vk::AddressMode::CLAMP_TO_BORDER,
                   .border_color = vk::BorderColor::FLOAT_OPAQUE_WHITE};
  const ResourceIndex i = add_image(plan, "i", image), x = add_buffer(plan, "x", 16);
  plan.resources[x].outputs = {raw_output(directory_ / "x.bin")};
  add_dispatch(plan, add_shader(plan, "separate", separate_comp), {i, i, x});
  run_it(plan);
  EXPECT_EQ(read_raw<float>(directory_ / "x.bin"), std::vector<float>(4, 1.0f));
}

TEST_F(RunImages, CustomBorderColours) {
  if (!snapshot().has_extension("VK_EXT_custom_border_color"))
    GTEST_SKIP() << "the device has no custom border colours";
  Plan plan;
  Image image = rgba8(1, 1);
  image.sampled = true;
  image.sampler = {.address_mode = vk::AddressMode::CLAMP_TO_BORDER,
                   .border_color = vk::BorderColor::FLOAT_CUSTOM_EXT,
                   .custom_color = {0x3f800000, 0x3f000000, 0, 0x3e800000}};
  const ResourceIndex i = add_image(plan, "i", image), x = add_buffer(plan, "x", 16);
  plan.resources[x].outputs = {raw_output(directory_ / "x.bin")};
  add_dispatch(plan, add_shader(plan, "separate", separate_comp), {i, i, x});
  run_it(plan);
  const std::vector<float> colour = read_raw<float>(directory_ / "x.bin");
  EXPECT_EQ(colour.at(0), 1);
  EXPECT_NEAR(colour.at(1), 0.5, 0.01);
  EXPECT_NEAR(colour.at(3), 0.25, 0.01);
}

// --- draws -----------------------------------------------------------------------------------------------------------

TEST_F(RunImages, FragmentShaders) {
  Plan plan;
  const ResourceIndex i = add_image(plan, "i", rgba8(3, 2)), green = add_buffer(plan, "green", 4);
  plan.resources[green].initial = {contents_of<float>({1})};
  plan.resources[i].outputs = {raw_output(directory_ / "i.bin")};
  add_draw(plan, i, green, 1);
  const Report report = run_it(plan, {.timestamps = true});
  EXPECT_EQ(read_raw<std::uint32_t>(directory_ / "i.bin"),
            (Texels{0xffffff00, 0xffffff01, 0xffffff02, 0xffffff00, 0xffffff01, 0xffffff02}));
  EXPECT_EQ(report.profile.times.at(0).type, CommandType::GraphicsDispatch);
  EXPECT_EQ(report.profile.times.at(0).name, "draw");
  EXPECT_EQ(lines(), (std::vector<std::string>{"INFO: Setup resources, count: 2", "INFO: Setup commands",
                                               "INFO: Setup profiling", "INFO: Dispatch graphics",
                                               "INFO: Wait for fence", "INFO: Results stored"}));
  const auto made = std::ranges::find(report.counters, CounterCategory::PipelineSetup, &PerfCounter::category);
  ASSERT_NE(made, report.counters.end());
  EXPECT_EQ(made->name, "Create Graphics Pipeline: gradient");
}

TEST_F(RunImages, FragmentShadersIntoALevel) {
  Plan plan;
  Image image = rgba8(4, 4);
  image.mips = 3;
  const ResourceIndex i = add_image(plan, "i", image), green = add_buffer(plan, "green", 4);
  add_draw(plan, i, green, 1, 2);
  add_sampling(plan, i, 2, directory_ / "x.bin");
  run_it(plan);
  EXPECT_EQ(read_raw<float>(directory_ / "x.bin"), (std::vector<float>{0, 0, 1, 1}));
}

// --- layouts ---------------------------------------------------------------------------------------------------------

// Draws in COLOR_ATTACHMENT, samples in SHADER_READ_ONLY; the next iteration and the readback find GENERAL again.
TEST_F(RunImages, LayoutsFollowImageBarriers) {
  Plan plan;
  Image image = rgba8(1, 1);
  image.mips = 1;
  const ResourceIndex i = add_image(plan, "i", image), green = add_buffer(plan, "green", 4);
  plan.resources[i].outputs = {raw_output(directory_ / "i.bin")};
  Barrier barrier{.kind = Barrier::Kind::Image,
                  .name = "to attachment",
                  .src_access = vk::access::kMemoryWrite,
                  .dst_access = vk::access::kMemoryRead | vk::access::kMemoryWrite,
                  .resource = i,
                  .old_layout = vk::Layout::Undefined,
                  .new_layout = vk::Layout::ColorAttachment,
                  .level_count = 5};  // more than the image has
  add_barrier(plan, barrier);
  add_draw(plan, i, green, 1).barrier_after = false;
  barrier.old_layout = vk::Layout::General;  // wrong: what the image is in counts
  barrier.new_layout = vk::Layout::ShaderReadOnly;
  add_barrier(plan, barrier);
  add_sampling(plan, i, 0, directory_ / "x.bin");
  barrier.new_layout = vk::Layout::Undefined;  // changes nothing
  add_barrier(plan, barrier);
  run_it(plan, {.repeat = 2});
  EXPECT_EQ(read_raw<float>(directory_ / "x.bin"), (std::vector<float>{0, 0, 1, 1}));
  EXPECT_EQ(read_raw<std::uint32_t>(directory_ / "i.bin"), (Texels{0xffff0000}));
}

TEST_F(RunImages, LayoutsAreRestoredAfterAFrameToo) {
  Plan plan;
  const ResourceIndex i = add_image(plan, "i", rgba8(1, 1));
  plan.resources[i].initial = {pixels({7})};
  plan.resources[i].outputs = {raw_output(directory_ / "i.bin")};
  std::get<Image>(plan.resources[i].kind).sampled = true;
  add_barrier(plan,
              {.kind = Barrier::Kind::Image, .name = "b", .resource = i, .new_layout = vk::Layout::ShaderReadOnly});
  plan.steps.push_back({.name = "frame", .action = Boundary{}});
  run_it(plan, {.repeat = 2});
  EXPECT_EQ(read_raw<std::uint32_t>(directory_ / "i.bin"), (Texels{7}));
}

// Tensors are buffers, so images that share memory with them stay in GENERAL.
TEST_F(RunImages, TensorAliasingIsGeneral) {
  Plan plan;
  const ResourceIndex i = add_image(plan, "i", rgba8(1, 1));
  plan.resources[i].initial = {pixels({0xffffffff})};
  add_barrier(plan,
              {.kind = Barrier::Kind::Image, .name = "b", .resource = i, .new_layout = vk::Layout::TensorAliasing});
  add_sampling(plan, i, 0, directory_ / "x.bin");
  run_it(plan);
  EXPECT_EQ(read_raw<float>(directory_ / "x.bin"), std::vector<float>(4, 1.0f));
}

// --- shared memory ---------------------------------------------------------------------------------------------------

TEST_F(RunImages, BuffersThatShareMemory) {
  Plan plan;
  const ResourceIndex x = add_buffer(plan, "x", 8), y = add_buffer(plan, "y", 8), zero = add_buffer(plan, "zero", 4);
  plan.resources[x].sharing = plan.resources[y].sharing = {"g", 0};
  plan.resources[zero].sharing = {"h", 0};
  plan.resources[x].initial = {contents_of<std::uint32_t>({5, 6})};
  plan.resources[y].outputs = {raw_output(directory_ / "y.bin")};
  plan.resources[zero].outputs = {raw_output(directory_ / "zero.bin")};
  add_dispatch(plan, add_shader(plan, "increment", increment_comp), {x}, {2, 1, 1});
  run_it(plan);
  EXPECT_EQ(read_raw<std::uint32_t>(directory_ / "y.bin"), (Texels{6, 7}));
  EXPECT_EQ(read_raw<std::uint32_t>(directory_ / "zero.bin"), (Texels{0}));
}

TEST_F(RunImages, ImageAndBufferThatShareMemory) {
  Plan plan;
  Image image = rgba8(2, 1);
  image.tiling = vk::Tiling::Linear;
  const ResourceIndex i = add_image(plan, "i", image), x = add_buffer(plan, "x", 8);
  plan.resources[i].sharing = plan.resources[x].sharing = {"g", 0};
  plan.resources[i].initial = {pixels({7, 9})};
  plan.resources[x].outputs = {raw_output(directory_ / "x.bin")};
  run_it(plan);
  EXPECT_EQ(read_raw<std::uint32_t>(directory_ / "x.bin"), (Texels{7, 9}));
}

TEST_F(RunImages, OffsetsThatAreNotAligned) {
  Plan plan;
  const ResourceIndex x = add_buffer(plan, "x", 8), y = add_buffer(plan, "y", 8);
  plan.resources[x].sharing = {"g", 0};
  plan.resources[y].sharing = {"g", 1};
  const Result<Report> report = try_run(plan);
  ASSERT_FALSE(report);
  ASSERT_EQ(report.error().size(), 1u);
  EXPECT_TRUE(report.error()[0].message.starts_with("Buffer memory offset for 'y' must be aligned to "))
      << report.error()[0].message;
  EXPECT_EQ(report.error()[0].path, "/y");
}

}  // namespace
}  // namespace slipway::launch
