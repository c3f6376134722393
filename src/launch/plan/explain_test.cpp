// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "launch/plan/explain.hpp"

#include <gtest/gtest.h>

#include "testing/launch_plans.hpp"

namespace slipway::launch {
namespace {

TEST(Explain, EmptyPlan) { EXPECT_EQ(print_plan({.name = "x.json"}), "plan of x.json\n"); }

TEST(Explain, Resources) {
  Plan plan{.name = "x.json"};
  const ResourceIndex x = add_buffer(plan, "x", 16);
  plan.resources[x].initial = {contents_of<float>({1, 2})};
  plan.resources[x].outputs = {{.path = "out/x.npy"}};
  std::get<Buffer>(plan.resources[x].kind).uniform = true;
  const ResourceIndex i = add_image(plan, "i", {.format = vk::Format::R8_UINT, .extent = {4, 2, 1}, .storage = true});
  plan.resources[i].sharing = {"g", 256};
  const ResourceIndex t = add_image(plan, "t",
                                    {.format = vk::Format::R8G8B8A8_UNORM,
                                     .extent = {4, 2, 3},
                                     .mips = 2,
                                     .sampled = true,
                                     .color_attachment = true,
                                     .tiling = vk::Tiling::Linear,
                                     .sampler = {.mag_filter = vk::Filter::LINEAR}});
  plan.resources[t].initial = {contents_of<int>({1}), contents_of<int>({})};
  EXPECT_EQ(print_plan(plan),
            "plan of x.json\n"
            "resources\n"
            "  0 `x`: buffer, 16 bytes, uniform\n"
            "    begins with 8 bytes of contents\n"
            "    stored in out/x.npy\n"
            "  1 `i`: image, VK_FORMAT_R8_UINT 4x2, storage, in memory `g` at 256\n"
            "  2 `t`: image, VK_FORMAT_R8G8B8A8_UNORM 4x2x3, 2 mips, sampled, colour attachment, linear\n"
            "    sampler: min nearest, mag linear, mip nearest, VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE, "
            "VK_BORDER_COLOR_FLOAT_TRANSPARENT_BLACK\n"
            "    level 0 begins with 4 bytes of contents\n"
            "    level 1 begins with 0 bytes of contents\n");
}

TEST(Explain, ExternalBuffersRangesAndCopies) {
  Plan plan{.name = "x.json"};
  const ResourceIndex x = add_buffer(plan, "x", 64), y = add_buffer(plan, "y", 16);
  std::get<Buffer>(plan.resources[x].kind).external = 0;
  plan.shaders.push_back({.name = "s"});
  add_dispatch(plan, "A", {{.resource = x, .offset = 16, .size = 8, .reads = true}, {.resource = x, .offset = 32}});
  plan.steps.push_back({.name = "C", .action = Copy{.from = x, .to = y, .from_offset = 4, .size = 8}});
  EXPECT_EQ(print_plan(plan),
            "plan of x.json\n"
            "resources\n"
            "  0 `x`: buffer, 64 bytes, external\n"
            "  1 `y`: buffer, 16 bytes\n"
            "shaders\n"
            "  0 `s`: compute `main`, 0 words of SPIR-V\n"
            "steps\n"
            "  0 `A`: dispatch `s`, 1 x 1 x 1 workgroups\n"
            "      set 0 binding 0: `x` from byte 16 to 24, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, read\n"
            "      set 0 binding 1: `x` from byte 32, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, not used\n"
            "  1 `C`: copy 8 bytes, `x` at 4 to `y` at 0\n"
            "      full barrier\n");
}

TEST(Explain, ShadersAndDispatches) {
  Plan plan{.name = "x.json"};
  const ResourceIndex x = add_buffer(plan, "x", 16);
  plan.shaders.push_back({.name = "add",
                          .spirv = std::make_shared<const std::vector<std::uint32_t>>(7),
                          .entry = "entry",
                          .specializations = {{.id = 3, .bytes = {std::byte{1}, std::byte{0xab}}}},
                          .push_constant_size = 4});
  Binding both = reads(x);
  both.writes = true;
  Binding level = reads(x);
  level.set = 1;
  level.level = 2;
  Binding address = reads(x);
  address.address_at = 8;
  add_dispatch(plan, "add", {both, level, writes(x), Binding{}, address});
  auto& dispatch = std::get<Dispatch>(plan.steps[0].action);
  dispatch.groups = {4, 2, 1};
  dispatch.push_constants = std::vector<std::byte>(4, std::byte{0x10});
  plan.steps[0].barrier_after = true;
  EXPECT_EQ(print_plan(plan),
            "plan of x.json\n"
            "resources\n"
            "  0 `x`: buffer, 16 bytes\n"
            "shaders\n"
            "  0 `add`: compute `entry`, 7 words of SPIR-V, 4 bytes of push constants\n"
            "    specialization constant 3: bytes 01ab\n"
            "steps\n"
            "  0 `add`: dispatch `add`, 4 x 2 x 1 workgroups\n"
            "      set 0 binding 0: `x`, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, read and written\n"
            "      set 1 binding 1: `x` level 2, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, read\n"
            "      set 0 binding 2: `x`, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, written\n"
            "      set 0 binding 3: `x`, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, not used\n"
            "      address at 8: `x`, read\n"
            "      push constants: bytes 10101010\n"
            "      full barrier\n");
}

TEST(Explain, DrawsBarriersAndBoundaries) {
  Plan plan{.name = "x.json"};
  const ResourceIndex x = add_buffer(plan, "x", 16);
  const ResourceIndex i = add_image(plan, "i", {.format = vk::Format::R8_UINT, .mips = 3});
  plan.shaders = {{.name = "v", .stage = spirv::Stage::Vertex}, {.name = "f", .stage = spirv::Stage::Fragment}};
  plan.steps.push_back({.name = "d",
                        .action = Draw{.vertex_shader = 0,
                                       .fragment_shader = 1,
                                       .extent = {8, 4},
                                       .color_attachments = {{.image = i, .level = 1}}},
                        .barrier_after = false});
  Barrier memory{.name = "m", .src_stage = 0x800, .src_access = 0x40, .dst_access = 0x20};
  Barrier buffer{.kind = Barrier::Kind::Buffer, .name = "b", .resource = x, .offset = 4, .size = 8};
  Barrier image{.kind = Barrier::Kind::Image,
                .name = "i",
                .resource = i,
                .old_layout = vk::Layout::Undefined,
                .base_level = 1,
                .level_count = 2};
  plan.steps.push_back({.name = "barriers", .action = Barriers{{memory, buffer, image}}});
  plan.steps.push_back({.name = "frame", .action = Boundary{.resources = {x, i}, .frame_id = 7}});
  plan.steps.push_back({.name = "frame", .action = Boundary{}});
  EXPECT_EQ(
      print_plan(plan),
      "plan of x.json\n"
      "resources\n"
      "  0 `x`: buffer, 16 bytes\n"
      "  1 `i`: image, VK_FORMAT_R8_UINT 1x1, 3 mips\n"
      "shaders\n"
      "  0 `v`: vertex `main`, 0 words of SPIR-V\n"
      "  1 `f`: fragment `main`, 0 words of SPIR-V\n"
      "steps\n"
      "  0 `d`: draw `v` and `f`, 8x4\n"
      "      colour attachment: `i` level 1\n"
      "  1 `barriers`: barriers\n"
      "      `m`: all memory, stages 0x800 to 0x10000, access 0x40 to 0x20\n"
      "      `b`: `x` bytes 4 to 12, stages 0x10000 to 0x10000, access 0x0 to 0x0\n"
      "      `i`: `i` levels 1 to 3, VK_IMAGE_LAYOUT_UNDEFINED to VK_IMAGE_LAYOUT_GENERAL, stages 0x10000 to 0x10000, "
      "access 0x0 to 0x0\n"
      "  2 `frame`: frame boundary, frame 7, `x`, `i`\n"
      "  3 `frame`: frame boundary\n");
}

TEST(Explain, Expectations) {
  Plan plan{.name = "x.json"};
  const ResourceIndex x = add_buffer(plan, "x", 16);
  const ResourceIndex y = add_buffer(plan, "y", 16);
  plan.expectations.push_back({.resource = x,
                               .type = tensor::ElementType::F32,
                               .shape = {2, 2},
                               .expected = contents_of<float>({1, 2, 3, 4}),
                               .tolerance = {.abs = 0.5, .rel = 0.001, .ulp = 3, .max_mismatches = 1}});
  plan.expectations.push_back({.resource = x, .shape = {16}, .expected = y});
  EXPECT_EQ(print_plan(plan),
            "plan of x.json\n"
            "resources\n"
            "  0 `x`: buffer, 16 bytes\n"
            "  1 `y`: buffer, 16 bytes\n"
            "expectations\n"
            "  `x`, f32 [2, 2], equals 16 bytes of contents, abs 0.5, rel 0.001, ulp 3, but for 1 elements\n"
            "  `x`, u8 [16], equals `y`\n");
}

TEST(Explain, Calls) {
  Plan plan{.name = "x.json"};
  const ResourceIndex x = add_buffer(plan, "x", 16), y = add_buffer(plan, "y", 16);
  plan.steps.push_back(
      {.name = "net",
       .action = Call{.arguments = {{.buffer = x, .reads = true}, {.buffer = y, .reads = true, .writes = true}}}});
  EXPECT_EQ(print_plan(plan),
            "plan of x.json\n"
            "resources\n"
            "  0 `x`: buffer, 16 bytes\n"
            "  1 `y`: buffer, 16 bytes\n"
            "steps\n"
            "  0 `net`: call a function of the host\n"
            "      argument 0: `x`, read\n"
            "      argument 1: `y`, read and written\n");
}

}  // namespace
}  // namespace slipway::launch
