// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "launch/check/check_device.hpp"

#include <gtest/gtest.h>

#include "base/print_diagnostic.hpp"
#include "testing/launch_plans.hpp"

namespace slipway::launch {
namespace {

// A device that has what every plan needs, and little more.
vk::Snapshot small_device() {
  vk::Snapshot snapshot{.name = "small", .type = vk::DeviceType::Discrete, .api = {1, 3, 0}};
  snapshot.features = {"synchronization2", "timelineSemaphore", "hostQueryReset", "dynamicRendering"};
  snapshot.queue_families = {
      {.flags = vk::queue_flag::kCompute | vk::queue_flag::kGraphics | vk::queue_flag::kTransfer, .queues = 1}};
  snapshot.memory_heaps = {{.size = 1 << 20, .device_local = true}};
  snapshot.memory_types = {
      {.flags = vk::memory_flag::kDeviceLocal | vk::memory_flag::kHostVisible | vk::memory_flag::kHostCoherent}};
  const std::uint64_t all = ~0ull;
  snapshot.formats[vk::Format::R8G8B8A8_UNORM] = {.linear = all, .optimal = all};
  snapshot.limits.max_storage_buffer_range = 1 << 16;
  return snapshot;
}

std::string missing(const Plan& plan, const vk::Snapshot& snapshot = small_device()) {
  return format_diagnostics(check_device(plan, needs_of(plan), snapshot).all());
}

Shader& add_shader(Plan& plan, spirv::EntryPoint entry) {
  auto reflection = std::make_shared<spirv::Reflection>();
  entry.name = "main";
  reflection->entry_points.push_back(std::move(entry));
  plan.shaders.push_back({.name = "s", .reflection = std::move(reflection), .origin = origin("/s")});
  return plan.shaders.back();
}

TEST(CheckDevice, NothingIsMissing) {
  Plan plan;
  add_shader(plan, {.local_size = spirv::LocalSize{{{128}, {1}, {1}}}, .shared_memory = 16384});
  add_dispatch(plan, "A", {reads(add_buffer(plan, "x", 1 << 16))});
  std::get<Dispatch>(plan.steps[0].action).groups = {65535, 65535, 65535};
  EXPECT_EQ(missing(plan), "");
}

TEST(CheckDevice, WorkgroupCounts) {
  Plan plan;
  add_shader(plan, {});
  std::get<Dispatch>(add_dispatch(plan, "A", {}).action).groups = {65536, 1, 70000};
  EXPECT_EQ(
      missing(plan),
      "/A: error: `A` dispatches 65536 workgroups in x, but the device allows 65535 (maxComputeWorkGroupCount[0]) "
      "[device-lacks]\n"
      "  = at /A\n"
      "/A: error: `A` dispatches 70000 workgroups in z, but the device allows 65535 (maxComputeWorkGroupCount[2]) "
      "[device-lacks]\n"
      "  = at /A\n");
}

TEST(CheckDevice, WorkgroupSizeAndSharedMemory) {
  Plan plan;
  add_shader(plan, {.local_size = spirv::LocalSize{{{64}, {2}, {65}}}, .shared_memory = 16385});
  EXPECT_EQ(
      missing(plan),
      "/s: error: shader `s` has 16385 bytes of shared memory, but the device allows 16384 "
      "(maxComputeSharedMemorySize) "
      "[device-lacks]\n"
      "  = at /s\n"
      "/s: error: shader `s` has a workgroup size of 65 in z, but the device allows 64 (maxComputeWorkGroupSize[2]) "
      "[device-lacks]\n"
      "  = at /s\n"
      "/s: error: shader `s` has 8320 invocations in a workgroup, but the device allows 128 "
      "(maxComputeWorkGroupInvocations) [device-lacks]\n"
      "  = at /s\n");
}

TEST(CheckDevice, SpecializationDecidesTheWorkgroupSize) {
  Plan plan;
  Shader& shader = add_shader(plan, {.local_size = spirv::LocalSize{{{.value = 512, .spec_id = 7}, {1}, {1}}}});
  shader.specializations = {{.id = 7, .bytes = {std::byte{128}, {}, {}, {}}}};
  EXPECT_EQ(missing(plan), "");
  plan.shaders[0].specializations[0].bytes[0] = std::byte{129};
  EXPECT_EQ(check_device(plan, {}, small_device()).errors(), 2u);
}

// Mesa's software driver divides by it.
TEST(CheckDevice, WorkgroupsHaveInvocations) {
  Plan plan;
  Shader& shader = add_shader(plan, {.local_size = spirv::LocalSize{{{1}, {.value = 4, .spec_id = 7}, {1}}}});
  shader.specializations = {{.id = 7, .bytes = {{}, {}, {}, {}}}};
  EXPECT_EQ(missing(plan), "/s: error: shader `s` has a workgroup size of 0 in y [out-of-range]\n  = at /s\n");
}

TEST(CheckDevice, CapabilitiesAreReportedAtTheShader) {
  Plan plan;
  Shader& shader = add_shader(plan, {});
  auto reflection = std::make_shared<spirv::Reflection>(*shader.reflection);
  reflection->capabilities = {"Shader", "Int64"};
  shader.reflection = reflection;
  EXPECT_EQ(needs_of(plan).capabilities, (std::set<std::string>{"Int64", "Shader"}));
  EXPECT_EQ(missing(plan),
            "/s: error: shader `s`: capability `Int64` needs the device feature `shaderInt64` [device-lacks]\n"
            "  = at /s\n");
}

TEST(CheckDevice, PushConstantsAndSets) {
  Plan plan;
  add_shader(plan, {}).push_constant_size = 132;
  Binding binding = reads(add_buffer(plan, "x", 4));
  binding.set = 4;
  add_dispatch(plan, "A", {binding});
  EXPECT_EQ(
      missing(plan),
      "/s: error: shader `s` has 132 bytes of push constants, but the device allows 128 (maxPushConstantsSize) "
      "[device-lacks]\n"
      "  = at /s\n"
      "/A/0: error: `A` binds descriptor set 4, but the device allows 4 sets (maxBoundDescriptorSets) [device-lacks]\n"
      "  = at /A/0\n");
}

TEST(CheckDevice, BufferRanges) {
  Plan plan;
  add_shader(plan, {});
  Binding storage = reads(add_buffer(plan, "x", (1 << 16) + 4));
  Binding uniform = reads(add_buffer(plan, "u", 16388));
  uniform.type = vk::DescriptorType::UNIFORM_BUFFER;
  add_dispatch(plan, "A", {storage, uniform});
  EXPECT_EQ(missing(plan),
            "/A/0: error: `A` binds the 65540 bytes of `x` as storage buffer, but the device allows 65536 "
            "(maxStorageBufferRange) "
            "[device-lacks]\n"
            "  = at /A/0\n"
            "/A/1: error: `A` binds the 16388 bytes of `u` as uniform buffer, but the device allows 16384 "
            "(maxUniformBufferRange) "
            "[device-lacks]\n"
            "  = at /A/1\n");
}

TEST(CheckDevice, SizeOfBuffersAndOfAllTogether) {
  Plan plan;
  vk::Snapshot snapshot = small_device();
  snapshot.limits.max_buffer_size = 1000;
  add_buffer(plan, "x", 1001);
  EXPECT_EQ(missing(plan, snapshot),
            "/x: error: buffer `x` has 1001 bytes, but the device allows 1000 (maxBufferSize) [device-lacks]\n"
            "  = at /x\n");
  snapshot.memory_heaps[0].size = 1500;
  plan.resources.clear();
  add_buffer(plan, "x", 700);
  add_buffer(plan, "y", 801);
  EXPECT_EQ(missing(plan, snapshot),
            "/y: error: all resources together need 1501 bytes, but the device has 1500 bytes of memory; the largest "
            "is `y` with "
            "801 bytes [device-lacks]\n"
            "  = at /y\n");
  plan.resources[0].sharing = plan.resources[1].sharing = {"g", 0};
  EXPECT_EQ(missing(plan, snapshot), "");
}

TEST(CheckDevice, SizesThatDoNotFitIn64Bits) {
  Plan plan;
  vk::Snapshot snapshot = small_device();
  snapshot.limits.max_buffer_size = ~0ull;
  add_buffer(plan, "x", ~0ull);
  add_buffer(plan, "y", 2);
  EXPECT_EQ(missing(plan, snapshot),
            "/x: error: all resources together need more than 2^64 bytes, but the device has 1048576 bytes of memory; "
            "the largest "
            "is `x` with 18446744073709551615 bytes [device-lacks]\n"
            "  = at /x\n");
}

TEST(CheckDevice, ImagesAreLocated) {
  Plan plan;
  add_image(plan, "i", {.format = vk::Format::R64_SINT, .sampled = true});
  const Diagnostics diagnostics = check_device(plan, needs_of(plan), small_device());
  ASSERT_EQ(diagnostics.errors(), 1u);
  EXPECT_EQ(diagnostics.all()[0].path, "/i");
  EXPECT_EQ(diagnostics.all()[0].kind, DiagnosticKind::DeviceLacks);
}

TEST(CheckDevice, Draws) {
  Plan plan;
  plan.shaders.resize(2);
  const ResourceIndex i = add_image(plan, "i", {.format = vk::Format::R8G8B8A8_UNORM, .color_attachment = true});
  plan.steps.push_back({.name = "D",
                        .action = Draw{.vertex_shader = 0,
                                       .fragment_shader = 1,
                                       .extent = {4097, 5000},
                                       .color_attachments = std::vector<Attachment>(5, {.image = i})},
                        .origin = origin("/D")});
  EXPECT_EQ(
      missing(plan),
      "/D: error: `D` renders 4097 pixels in x, but the device allows 4096 (maxFramebufferWidth) [device-lacks]\n"
      "  = at /D\n"
      "/D: error: `D` renders 5000 pixels in y, but the device allows 4096 (maxFramebufferHeight) [device-lacks]\n"
      "  = at /D\n"
      "/D: error: `D`: it has 5 colour attachments, but the device allows 4 (`maxColorAttachments`) [device-lacks]\n"
      "  = at /D\n");
}

TEST(CheckDevice, NeedsOfThePlan) {
  Plan plan;
  EXPECT_FALSE(needs_of(plan).graphics || needs_of(plan).blit || needs_of(plan).frame_boundary ||
               needs_of(plan).custom_border_colors);
  const ResourceIndex i =
      add_image(plan, "i", {.format = vk::Format::R8G8B8A8_UNORM, .extent = {4, 4, 1}, .mips = 3, .sampled = true});
  plan.shaders.resize(2);
  plan.steps.push_back({.action = Draw{.vertex_shader = 0, .fragment_shader = 1}});
  EXPECT_TRUE(needs_of(plan).graphics);
  plan.steps.push_back({.action = Boundary{}});
  EXPECT_TRUE(needs_of(plan).frame_boundary);

  // Mips are made from contents only.
  EXPECT_FALSE(needs_of(plan).blit);
  plan.resources[i].initial.resize(3);
  EXPECT_FALSE(needs_of(plan).blit);
  plan.resources[i].initial.resize(2);
  EXPECT_TRUE(needs_of(plan).blit);

  // A custom colour needs the extension only where it can be seen.
  Sampler& sampler = std::get<Image>(plan.resources[i].kind).sampler;
  sampler.border_color = vk::BorderColor::FLOAT_CUSTOM_EXT;
  EXPECT_FALSE(needs_of(plan).custom_border_colors);
  sampler.address_mode = vk::AddressMode::CLAMP_TO_BORDER;
  EXPECT_TRUE(needs_of(plan).custom_border_colors);
  sampler.border_color = vk::BorderColor::FLOAT_OPAQUE_BLACK;
  EXPECT_FALSE(needs_of(plan).custom_border_colors);
}

TEST(CheckDevice, WhatTheCallerAddsIsChecked) {
  vk::Needs needs;
  needs.extensions = {"VK_KHR_not_there"};
  const Diagnostics diagnostics = check_device({}, needs, small_device());
  ASSERT_EQ(diagnostics.errors(), 1u);
  EXPECT_NE(diagnostics.all()[0].message.find("VK_KHR_not_there"), std::string::npos);
}

}  // namespace
}  // namespace slipway::launch
