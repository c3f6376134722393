// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "launch/check/hazards.hpp"
#include "base/format.hpp"

#include <gtest/gtest.h>

#include "base/print_diagnostic.hpp"
#include "testing/launch_plans.hpp"

namespace slipway::launch {
namespace {

using vk::access::kMemoryRead, vk::access::kMemoryWrite, vk::access::kShaderRead, vk::access::kShaderWrite;
using vk::stage::kComputeShader, vk::stage::kFragmentShader, vk::stage::kColorAttachmentOutput;

std::string hazards(const Plan& plan) { return format_diagnostics(check_hazards(plan).all()); }

constexpr Image kImage{
    .format = vk::Format::R8G8B8A8_UNORM, .extent = {8, 8, 1}, .mips = 4, .sampled = true, .storage = true};

Barrier memory_barrier() {
  return {.kind = Barrier::Kind::Memory,
          .name = "b",
          .src_stage = kComputeShader,
          .dst_stage = kComputeShader,
          .src_access = kShaderWrite,
          .dst_access = kShaderRead | kShaderWrite};
}

Barrier buffer_barrier(ResourceIndex resource, std::uint64_t offset, std::uint64_t size) {
  Barrier barrier = memory_barrier();
  barrier.kind = Barrier::Kind::Buffer;
  barrier.resource = resource;
  barrier.offset = offset;
  barrier.size = size;
  return barrier;
}

Barrier image_barrier(ResourceIndex image, std::uint32_t level, std::uint32_t levels) {
  Barrier barrier = memory_barrier();
  barrier.kind = Barrier::Kind::Image;
  barrier.resource = image;
  barrier.base_level = level;
  barrier.level_count = levels;
  return barrier;
}

Binding sampled(ResourceIndex image, std::optional<std::uint32_t> level = {}) {
  return {.type = vk::DescriptorType::COMBINED_IMAGE_SAMPLER, .resource = image, .level = level, .reads = true};
}

Binding stored(ResourceIndex image, std::optional<std::uint32_t> level = {}) {
  return {.type = vk::DescriptorType::STORAGE_IMAGE, .resource = image, .level = level, .writes = true};
}

// `a` then, after what `between` adds, `b`, on one buffer of 64 bytes.
template <class Between>
Plan two_dispatches(Binding (*first)(ResourceIndex), Binding (*second)(ResourceIndex), Between between) {
  Plan plan;
  const ResourceIndex x = add_buffer(plan, "x", 64);
  add_dispatch(plan, "A", {first(x)});
  between(plan);
  add_dispatch(plan, "B", {second(x)});
  return plan;
}

void nothing(Plan&) {}

// --- pairs -----------------------------------------------------------------------------------------------------------

TEST(Hazards, ReadAfterWrite) {
  EXPECT_EQ(hazards(two_dispatches(writes, reads, nothing)),
            "/B/0: warning: hazard: `B` reads `x` after `A` wrote it, with no barrier between them [hazard]\n"
            "  = at /B/0\n"
            "/A/0: note: `A` writes `x` here\n");
}

TEST(Hazards, WriteAfterRead) {
  EXPECT_EQ(hazards(two_dispatches(reads, writes, nothing)),
            "/B/0: warning: hazard: `B` writes `x` after `A` read it, with no barrier between them [hazard]\n"
            "  = at /B/0\n"
            "/A/0: note: `A` reads `x` here\n");
}

TEST(Hazards, WriteAfterWrite) {
  EXPECT_EQ(hazards(two_dispatches(writes, writes, nothing)),
            "/B/0: warning: hazard: `B` writes `x` after `A` wrote it, with no barrier between them [hazard]\n"
            "  = at /B/0\n"
            "/A/0: note: `A` writes `x` here\n");
}

TEST(Hazards, ReadingTwiceIsNotAHazard) { EXPECT_EQ(hazards(two_dispatches(reads, reads, nothing)), ""); }

TEST(Hazards, OtherResourcesDoNotConflict) {
  Plan plan;
  add_dispatch(plan, "A", {writes(add_buffer(plan, "x", 64))});
  add_dispatch(plan, "B", {reads(add_buffer(plan, "y", 64))});
  EXPECT_EQ(hazards(plan), "");
}

// Parts of buffers, and copies between them.
TEST(Hazards, RangesOfBuffers) {
  Plan plan;
  const ResourceIndex x = add_buffer(plan, "x", 64);
  Binding low = writes(x), high = writes(x);
  low.size = high.offset = 32;
  add_dispatch(plan, "A", {low});
  add_dispatch(plan, "B", {high});
  plan.steps.push_back({.name = "C",
                        .action = Copy{.from = x, .to = x, .from_offset = 32, .size = 16},
                        .barrier_after = false,
                        .origin = origin("/C")});
  EXPECT_EQ(hazards(plan),
            "/C: warning: hazard: `C` reads `x` after `B` wrote it, with no barrier between them [hazard]\n"
            "  = at /C\n"
            "/B/0: note: `B` writes `x` here\n"
            "/C: warning: hazard: `C` writes `x` after `A` wrote it, with no barrier between them [hazard]\n"
            "  = at /C\n"
            "/A/0: note: `A` writes `x` here\n");
  plan.steps[1].barrier_after = true;
  EXPECT_EQ(hazards(plan), "");
}

TEST(Hazards, EachPairIsReportedOnce) {
  Plan plan;
  const ResourceIndex x = add_buffer(plan, "x", 64);
  add_dispatch(plan, "A", {reads(x), writes(x)});
  add_dispatch(plan, "B", {reads(x)});
  EXPECT_EQ(hazards(plan),
            "/B/0: warning: hazard: `B` reads `x` after `A` wrote it, with no barrier between them [hazard]\n"
            "  = at /B/0\n"
            "/A/1: note: `A` writes `x` here\n");
}

// What follows a write that covers an older one conflicts with the newer.
TEST(Hazards, OnlyTheLastWriteCounts) {
  Plan plan;
  const ResourceIndex x = add_buffer(plan, "x", 64);
  add_dispatch(plan, "A", {writes(x)});
  add_barrier(plan, memory_barrier());
  add_dispatch(plan, "B", {writes(x)});
  add_dispatch(plan, "C", {reads(x)});
  EXPECT_EQ(hazards(plan),
            "/C/0: warning: hazard: `C` reads `x` after `B` wrote it, with no barrier between them [hazard]\n"
            "  = at /C/0\n"
            "/B/0: note: `B` writes `x` here\n");
}

TEST(Hazards, AllReadersOfAWriteAreReported) {
  Plan plan;
  const ResourceIndex x = add_buffer(plan, "x", 64);
  add_dispatch(plan, "A", {writes(x)});
  add_dispatch(plan, "B", {reads(x)});
  add_dispatch(plan, "C", {reads(x)});
  EXPECT_EQ(check_hazards(plan).warnings(), 2u);
}

// --- what orders -----------------------------------------------------------------------------------------------------

TEST(Hazards, ImplicitBarrierOfTheFirst) {
  Plan plan = two_dispatches(writes, reads, nothing);
  plan.steps[0].barrier_after = true;
  EXPECT_EQ(hazards(plan), "");
}

TEST(Hazards, ImplicitBarrierOfOneBetween) {
  EXPECT_EQ(
      hazards(two_dispatches(writes, reads, [](Plan& plan) { add_dispatch(plan, "M", {}).barrier_after = true; })), "");
}

TEST(Hazards, ImplicitBarrierOfTheSecondIsTooLate) {
  Plan plan = two_dispatches(writes, reads, nothing);
  plan.steps[1].barrier_after = true;
  EXPECT_EQ(check_hazards(plan).warnings(), 1u);
}

TEST(Hazards, Boundary) {
  EXPECT_EQ(hazards(two_dispatches(writes, reads,
                                   [](Plan& plan) { plan.steps.push_back({.name = "f", .action = Boundary{}}); })),
            "");
}

TEST(Hazards, MemoryBarrier) {
  for (const auto second : {reads, writes}) {
    EXPECT_EQ(hazards(two_dispatches(writes, second, [](Plan& plan) { add_barrier(plan, memory_barrier()); })), "");
  }
}

TEST(Hazards, BarriersOutsideDoNotCount) {
  Plan plan;
  const ResourceIndex x = add_buffer(plan, "x", 64);
  add_barrier(plan, memory_barrier());
  add_dispatch(plan, "A", {writes(x)});
  add_dispatch(plan, "B", {reads(x)});
  add_barrier(plan, memory_barrier());
  EXPECT_EQ(hazards(plan),
            "/B/0: warning: hazard: `B` reads `x` after `A` wrote it, with no barrier between them [hazard]\n"
            "  = at /B/0\n"
            "/A/0: note: `A` writes `x` here\n");
}

// Each change to the barrier, and what is said about it.
struct Gap {
  void (*change)(Barrier&);
  std::string_view note;
};

TEST(Hazards, BarrierThatLeavesSomethingOut) {
  const Gap gaps[] = {
      {[](Barrier& b) { b.src_stage = kFragmentShader; }, "its source stages leave out the compute shader"},
      {[](Barrier& b) { b.dst_stage = kFragmentShader; }, "its destination stages leave out the compute shader"},
      {[](Barrier& b) { b.src_access = kMemoryRead | kShaderRead; }, "its source access leaves out the writes"},
      {[](Barrier& b) { b.dst_access = kMemoryWrite; }, "its destination access leaves out the reads"},
  };
  for (const Gap& gap : gaps) {
    EXPECT_EQ(
        hazards(two_dispatches(writes, reads,
                               [&](Plan& plan) {
                                 Barrier barrier = memory_barrier();
                                 gap.change(barrier);
                                 add_barrier(plan, barrier);
                               })),
        "/B/0: warning: hazard: `B` reads `x` after `A` wrote it, and no barrier between them covers both [hazard]\n"
        "  = at /B/0\n"
        "/A/0: note: `A` writes `x` here\n"
        "/b: note: barrier `b` does not: " +
            std::string(gap.note) + "\n");
  }
}

TEST(Hazards, WriteAfterWriteNeedsTheWrites) {
  const Plan plan = two_dispatches(writes, writes, [](Plan& made) {
    Barrier barrier = memory_barrier();
    barrier.dst_access = kShaderRead;
    add_barrier(made, barrier);
  });
  EXPECT_EQ(check_hazards(plan).all().at(0).notes.at(1).message,
            "barrier `b` does not: its destination access leaves out the writes");
}

TEST(Hazards, WriteAfterReadNeedsStagesAlone) {
  const Plan plan = two_dispatches(reads, writes, [](Plan& made) {
    Barrier barrier = memory_barrier();
    barrier.src_access = barrier.dst_access = 0;
    add_barrier(made, barrier);
  });
  EXPECT_EQ(hazards(plan), "");
}

TEST(Hazards, WideStagesAndAccessesCover) {
  const Plan plan = two_dispatches(writes, reads, [](Plan& made) {
    Barrier barrier = memory_barrier();
    barrier.src_stage = barrier.dst_stage = vk::stage::kAllCommands;
    barrier.src_access = kMemoryWrite;
    barrier.dst_access = kMemoryRead;
    add_barrier(made, barrier);
  });
  EXPECT_EQ(hazards(plan), "");
}

// Graphs run as compute shaders.
TEST(Hazards, DataGraphStagesAreCompute) {
  const Plan plan = two_dispatches(writes, reads, [](Plan& made) {
    Barrier barrier = memory_barrier();
    barrier.src_stage = barrier.dst_stage = vk::stage::kDataGraph;
    barrier.src_access = vk::access::kDataGraphWrite;
    barrier.dst_access = vk::access::kDataGraphRead;
    add_barrier(made, barrier);
  });
  EXPECT_EQ(hazards(plan), "");
}

// --- ranges ----------------------------------------------------------------------------------------------------------

TEST(Hazards, BufferBarrierOnTheResource) {
  EXPECT_EQ(hazards(two_dispatches(writes, reads, [](Plan& plan) { add_barrier(plan, buffer_barrier(0, 0, 64)); })),
            "");
}

TEST(Hazards, BufferBarrierOnAnotherResource) {
  Plan plan;
  const ResourceIndex x = add_buffer(plan, "x", 64);
  const ResourceIndex y = add_buffer(plan, "y", 64);
  add_dispatch(plan, "A", {writes(x)});
  add_barrier(plan, buffer_barrier(y, 0, 64));
  add_dispatch(plan, "B", {reads(x)});
  EXPECT_EQ(hazards(plan),
            "/B/0: warning: hazard: `B` reads `x` after `A` wrote it, with no barrier between them [hazard]\n"
            "  = at /B/0\n"
            "/A/0: note: `A` writes `x` here\n");
}

TEST(Hazards, BufferBarrierOnAPart) {
  EXPECT_EQ(
      hazards(two_dispatches(writes, reads, [](Plan& plan) { add_barrier(plan, buffer_barrier(0, 0, 32)); })),
      "/B/0: warning: hazard: `B` reads `x` after `A` wrote it, and no barrier between them covers both [hazard]\n"
      "  = at /B/0\n"
      "/A/0: note: `A` writes `x` here\n"
      "/b: note: barrier `b` does not: it covers only bytes 0 to 32\n");
}

TEST(Hazards, BufferBarriersOnAllParts) {
  EXPECT_EQ(hazards(two_dispatches(writes, reads,
                                   [](Plan& plan) {
                                     add_barrier(plan, buffer_barrier(0, 32, 32));
                                     add_barrier(plan, buffer_barrier(0, 0, 32));
                                   })),
            "");
}

TEST(Hazards, BarrierRangeOutsideTheBuffer) {
  for (const auto& [offset, size] : {std::pair(0, 65), std::pair(65, 0), std::pair(1, 64), std::pair(0, 0)}) {
    Plan plan;
    add_barrier(plan, buffer_barrier(add_buffer(plan, "x", 64), offset, size));
    EXPECT_EQ(hazards(plan),
              formatted("/b: warning: hazard: barrier `b` covers {} bytes at offset {} of `x`, which has 64 bytes "
                        "[hazard]\n  = at /b\n/x: note: `x` is made here\n",
                        size, offset));
  }
}

TEST(Hazards, SharedMemory) {
  Plan plan;
  const ResourceIndex x = add_buffer(plan, "x", 64);
  const ResourceIndex y = add_buffer(plan, "y", 64);
  const ResourceIndex z = add_buffer(plan, "z", 64);
  plan.resources[x].sharing = {"g", 0};
  plan.resources[y].sharing = {"g", 32};
  plan.resources[z].sharing = {"g", 64};
  add_dispatch(plan, "A", {writes(x)});
  add_dispatch(plan, "B", {reads(z)});
  EXPECT_EQ(hazards(plan), "");
  add_dispatch(plan, "C", {reads(y)});
  EXPECT_EQ(hazards(plan),
            "/C/0: warning: hazard: `C` reads `y` after `A` wrote `x` in the same memory, with no barrier between them "
            "[hazard]\n"
            "  = at /C/0\n"
            "/A/0: note: `A` writes `x` here\n");
}

// The barrier must cover the bytes that both commands access: 32 to 64 of the group.
TEST(Hazards, BarrierOnEitherNameOfSharedMemory) {
  for (const auto& [on_y, offset, size, ordered] : {std::tuple(false, 32, 32, true), std::tuple(true, 0, 32, true),
                                                    std::tuple(false, 0, 32, false), std::tuple(true, 32, 32, false)}) {
    Plan plan;
    const ResourceIndex x = add_buffer(plan, "x", 64);
    const ResourceIndex y = add_buffer(plan, "y", 64);
    plan.resources[x].sharing = {"g", 0};
    plan.resources[y].sharing = {"g", 32};
    add_dispatch(plan, "A", {writes(x)});
    add_barrier(plan, buffer_barrier(on_y ? y : x, offset, size));
    add_dispatch(plan, "B", {reads(y)});
    EXPECT_EQ(check_hazards(plan).empty(), ordered) << on_y << " " << offset;
  }
}

TEST(Hazards, ImageAndBufferInOneMemory) {
  Plan plan;
  Image image = kImage;
  image.mips = 1;
  const ResourceIndex i = add_image(plan, "i", image);
  const ResourceIndex x = add_buffer(plan, "x", 64);
  plan.resources[i].sharing = {"g", 0};
  plan.resources[x].sharing = {"g", 8 * 8 * 4 - 1};  // the last byte of the image
  add_dispatch(plan, "A", {stored(i)});
  add_dispatch(plan, "B", {reads(x)});
  EXPECT_EQ(hazards(plan),
            "/B/0: warning: hazard: `B` reads `x` after `A` wrote `i` in the same memory, with no barrier between them "
            "[hazard]\n"
            "  = at /B/0\n"
            "/A/0: note: `A` writes `i` here\n");
  plan.resources[x].sharing->offset = 8 * 8 * 4;
  EXPECT_EQ(hazards(plan), "");
}

// --- mip levels ------------------------------------------------------------------------------------------------------

TEST(Hazards, LevelsOfOneImageDoNotConflict) {
  Plan plan;
  const ResourceIndex i = add_image(plan, "i", kImage);
  add_dispatch(plan, "A", {stored(i, 1)});
  add_dispatch(plan, "B", {sampled(i, 0)});
  add_dispatch(plan, "C", {stored(i, 2)});
  EXPECT_EQ(hazards(plan), "");
}

TEST(Hazards, StorageImageWithoutLevelIsLevelZero) {
  Plan plan;
  const ResourceIndex i = add_image(plan, "i", kImage);
  add_dispatch(plan, "A", {stored(i)});
  add_dispatch(plan, "B", {sampled(i, 1)});
  EXPECT_EQ(hazards(plan), "");
  add_dispatch(plan, "C", {sampled(i, 0)});
  EXPECT_EQ(check_hazards(plan).warnings(), 1u);
}

TEST(Hazards, SampledImageWithoutLevelIsAllOfThem) {
  Plan plan;
  const ResourceIndex i = add_image(plan, "i", kImage);
  add_dispatch(plan, "A", {stored(i, 3)});
  add_barrier(plan, image_barrier(i, 0, 3));
  add_dispatch(plan, "B", {sampled(i)});
  EXPECT_EQ(
      hazards(plan),
      "/B/0: warning: hazard: `B` reads `i` after `A` wrote it, and no barrier between them covers both [hazard]\n"
      "  = at /B/0\n"
      "/A/0: note: `A` writes `i` here\n"
      "/b: note: barrier `b` does not: it covers only mip levels 0 to 3\n");
  std::get<Barriers>(plan.steps[1].action).barriers[0].level_count = 4;
  EXPECT_EQ(hazards(plan), "");
}

TEST(Hazards, BarrierRangeOutsideTheImage) {
  Plan plan;
  add_barrier(plan, image_barrier(add_image(plan, "i", kImage), 2, 3));
  EXPECT_EQ(hazards(plan),
            "/b: warning: hazard: barrier `b` covers 3 mip levels from level 2 of `i`, which has 4 [hazard]\n"
            "  = at /b\n"
            "/i: note: `i` is made here\n");
}

// --- draws -----------------------------------------------------------------------------------------------------------

Plan draw_then_dispatch(Barrier barrier) {
  Plan plan;
  const ResourceIndex i = add_image(plan, "i", kImage);
  plan.shaders.resize(2);
  plan.steps.push_back({.name = "D",
                        .action = Draw{.vertex_shader = 0,
                                       .fragment_shader = 1,
                                       .color_attachments = {{.image = i, .level = 0, .origin = origin("/D/0")}}},
                        .barrier_after = false});
  add_barrier(plan, std::move(barrier));
  add_dispatch(plan, "B", {sampled(i)});
  return plan;
}

TEST(Hazards, AttachmentsAreWrittenByTheirOwnStage) {
  Barrier barrier = memory_barrier();
  barrier.src_access = kMemoryWrite;
  EXPECT_EQ(
      hazards(draw_then_dispatch(barrier)),
      "/B/0: warning: hazard: `B` reads `i` after `D` wrote it, and no barrier between them covers both [hazard]\n"
      "  = at /B/0\n"
      "/D/0: note: `D` writes `i` here\n"
      "/b: note: barrier `b` does not: its source stages leave out colour attachments\n");
  barrier.src_stage = kFragmentShader | kColorAttachmentOutput;
  EXPECT_EQ(hazards(draw_then_dispatch(barrier)), "");
  barrier.src_stage = vk::stage::kAllGraphics;
  EXPECT_EQ(hazards(draw_then_dispatch(barrier)), "");
  barrier.src_access = kShaderWrite;
  EXPECT_EQ(check_hazards(draw_then_dispatch(barrier)).all().at(0).notes.at(1).message,
            "barrier `b` does not: its source access leaves out the writes");
}

// Without reflection both stages may use a binding; with it only those that do.
TEST(Hazards, BindingsOfDrawsAreInTheStagesThatUseThem) {
  Plan plan;
  const ResourceIndex x = add_buffer(plan, "x", 64);
  plan.shaders.resize(2);
  plan.shaders[0].stage = spirv::Stage::Vertex;
  plan.shaders[1].stage = spirv::Stage::Fragment;
  add_dispatch(plan, "A", {writes(x)});
  Barrier barrier = memory_barrier();
  barrier.dst_stage = kFragmentShader;
  add_barrier(plan, barrier);
  Binding binding = reads(x);
  binding.origin = origin("/D/0");
  plan.steps.push_back({.name = "D", .action = Draw{.vertex_shader = 0, .fragment_shader = 1, .bindings = {binding}}});
  EXPECT_EQ(check_hazards(plan).all().at(0).notes.at(1).message,
            "barrier `b` does not: its destination stages leave out the vertex shader and the fragment shader");

  spirv::Reflection vertex, fragment;
  vertex.entry_points = {{.stage = spirv::Stage::Vertex, .name = "main"}};
  fragment.entry_points = {{.stage = spirv::Stage::Fragment, .name = "main", .bindings = {{.used = true}}}};
  plan.shaders[0].reflection = std::make_shared<const spirv::Reflection>(vertex);
  plan.shaders[1].reflection = std::make_shared<const spirv::Reflection>(fragment);
  EXPECT_EQ(hazards(plan), "");
}

// Vertex input, depth and results of several samples have stages of their own.
TEST(Hazards, DrawsReadVerticesAndWriteDepthAndResults) {
  Plan plan;
  const ResourceIndex v = add_buffer(plan, "v", 64), x = add_buffer(plan, "x", 64);
  const ResourceIndex d = add_image(plan, "d", kImage), many = add_image(plan, "many", kImage);
  const ResourceIndex t = add_image(plan, "t", kImage);
  plan.shaders.resize(1);
  add_dispatch(plan, "A", {writes(v), writes(x), sampled(d), sampled(t)});
  plan.steps.push_back(
      {.name = "D",
       .action = Draw{.color_attachments = {{.image = many, .resolve = Resolve{t}, .origin = origin("/D/c")}},
                      .depth_attachment = DepthAttachment{.image = d, .origin = origin("/D/d")},
                      .vertex_buffers = {{.buffer = v, .origin = origin("/D/v")}},
                      .indices = IndexBuffer{.buffer = x, .origin = origin("/D/x")}},
       .barrier_after = false});
  std::vector<std::string> messages;
  for (const Diagnostic& one : check_hazards(plan).all()) messages.push_back(one.message);
  EXPECT_EQ(messages,
            (std::vector<std::string>{"hazard: `D` reads `v` after `A` wrote it, with no barrier between them",
                                      "hazard: `D` reads `x` after `A` wrote it, with no barrier between them",
                                      "hazard: `D` writes `t` after `A` read it, with no barrier between them",
                                      "hazard: `D` writes `d` after `A` read it, with no barrier between them"}));
  Barrier barrier = memory_barrier();
  barrier.dst_stage = kFragmentShader;
  plan.steps.insert(plan.steps.begin() + 1, {.name = "b", .action = Barriers{{barrier}}});
  std::vector<std::string> gaps;
  for (const Diagnostic& one : check_hazards(plan).all()) gaps.push_back(one.notes.at(1).message);
  EXPECT_EQ(gaps, (std::vector<std::string>{
                      "barrier `b` does not: its destination stages leave out vertex input",
                      "barrier `b` does not: its destination stages leave out vertex input",
                      "barrier `b` does not: its destination stages leave out colour attachments",
                      "barrier `b` does not: its destination stages leave out depth and stencil tests"}));
}

// --- layouts ---------------------------------------------------------------------------------------------------------

TEST(Hazards, OldLayoutThatTheImageIsNotIn) {
  Plan plan;
  const ResourceIndex i = add_image(plan, "i", kImage);
  Barrier to_aliasing = image_barrier(i, 0, 4);
  to_aliasing.name = "to";
  to_aliasing.new_layout = vk::Layout::TensorAliasing;
  add_barrier(plan, to_aliasing);
  add_barrier(plan, image_barrier(i, 1, 1));
  EXPECT_EQ(hazards(plan),
            "/b: warning: hazard: barrier `b` takes level 1 of `i` to be in VK_IMAGE_LAYOUT_GENERAL, but it is in "
            "VK_IMAGE_LAYOUT_TENSOR_ALIASING_ARM [hazard]\n"
            "  = at /b\n"
            "/to: note: barrier `to` put it there\n");
}

TEST(Hazards, ImagesBeginInGeneral) {
  Plan plan;
  Barrier barrier = image_barrier(add_image(plan, "i", kImage), 0, 1);
  barrier.old_layout = vk::Layout::TensorAliasing;
  add_barrier(plan, barrier);
  EXPECT_EQ(hazards(plan),
            "/b: warning: hazard: barrier `b` takes level 0 of `i` to be in VK_IMAGE_LAYOUT_TENSOR_ALIASING_ARM, but "
            "it is in "
            "VK_IMAGE_LAYOUT_GENERAL [hazard]\n"
            "  = at /b\n"
            "/i: note: images begin in VK_IMAGE_LAYOUT_GENERAL\n");
}

TEST(Hazards, NewLayoutUndefined) {
  Plan plan;
  Barrier barrier = image_barrier(add_image(plan, "i", kImage), 0, 4);
  barrier.new_layout = vk::Layout::Undefined;
  add_barrier(plan, barrier);
  EXPECT_EQ(hazards(plan),
            "/b: warning: hazard: barrier `b` changes `i` to VK_IMAGE_LAYOUT_UNDEFINED, which no image can be put "
            "into; its layout "
            "stays [hazard]\n"
            "  = at /b\n");
}

TEST(Hazards, LayoutThatADescriptorDoesNotAllow) {
  Plan plan;
  const ResourceIndex i = add_image(plan, "i", kImage);
  Barrier barrier = image_barrier(i, 1, 1);
  barrier.new_layout = vk::Layout::TensorAliasing;
  add_barrier(plan, barrier);
  add_dispatch(plan, "A", {sampled(i)});
  add_dispatch(plan, "B", {sampled(i, 0)});
  EXPECT_EQ(
      hazards(plan),
      "/A/0: warning: hazard: `A` uses level 1 of `i` while it is in VK_IMAGE_LAYOUT_TENSOR_ALIASING_ARM [hazard]\n"
      "  = at /A/0\n"
      "/b: note: barrier `b` put it there\n");
}

TEST(Hazards, ReadOnlyLayoutIsForSamplingOnly) {
  Plan plan;
  const ResourceIndex i = add_image(plan, "i", kImage);
  Barrier barrier = image_barrier(i, 0, 1);
  barrier.new_layout = vk::Layout::ShaderReadOnly;
  add_barrier(plan, barrier);
  add_dispatch(plan, "A", {sampled(i, 0)}).barrier_after = true;
  EXPECT_EQ(hazards(plan), "");
  add_dispatch(plan, "B", {stored(i)});
  EXPECT_EQ(check_hazards(plan).all().at(0).message,
            "hazard: `B` uses level 0 of `i` while it is in VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL");
}

TEST(Hazards, LayoutsOfAttachments) {
  for (const auto& [layout, allowed] :
       {std::pair(vk::Layout::ColorAttachment, true), std::pair(vk::Layout::ShaderReadOnly, false)}) {
    Plan plan;
    plan.shaders.resize(2);
    const ResourceIndex i = add_image(plan, "i", kImage);
    Barrier barrier = image_barrier(i, 0, 1);
    barrier.new_layout = layout;
    add_barrier(plan, barrier);
    plan.steps.push_back(
        {.name = "D", .action = Draw{.vertex_shader = 0, .fragment_shader = 1, .color_attachments = {{.image = i}}}});
    EXPECT_EQ(check_hazards(plan).empty(), allowed);
  }
}

// --- contents that are given up --------------------------------------------------------------------------------------

Plan dropped_image() {
  Plan plan;
  const ResourceIndex i = add_image(plan, "i", kImage);
  Barrier barrier = image_barrier(i, 0, 2);
  barrier.old_layout = vk::Layout::Undefined;
  add_barrier(plan, barrier);
  return plan;
}

TEST(Hazards, ContentsThatAreUsedAfterUndefined) {
  Plan plan = dropped_image();
  add_dispatch(plan, "A", {sampled(0)});
  EXPECT_EQ(hazards(plan),
            "/A/0: warning: hazard: `A` reads level 0 of `i`, whose contents a barrier gave up [hazard]\n"
            "  = at /A/0\n"
            "/b: note: barrier `b` has the old layout VK_IMAGE_LAYOUT_UNDEFINED\n");
}

TEST(Hazards, ContentsThatAreWrittenAfterUndefined) {
  Plan plan = dropped_image();
  add_dispatch(plan, "A", {stored(0)}).barrier_after = true;
  add_dispatch(plan, "B", {sampled(0, 0)});
  add_dispatch(plan, "C", {sampled(0, 2)});
  EXPECT_EQ(hazards(plan), "");
  add_dispatch(plan, "D", {sampled(0, 1)});
  EXPECT_EQ(check_hazards(plan).all().at(0).message,
            "hazard: `D` reads level 1 of `i`, whose contents a barrier gave up");
}

TEST(Hazards, ContentsThatAreWrittenThroughAnotherName) {
  Plan plan = dropped_image();
  std::get<Image>(plan.resources[0].kind).mips = 1;
  std::get<Barriers>(plan.steps[0].action).barriers[0].level_count = 1;
  const ResourceIndex x = add_buffer(plan, "x", 64);
  plan.resources[0].sharing = plan.resources[x].sharing = {"g", 0};
  add_dispatch(plan, "A", {writes(x)}).barrier_after = true;
  add_dispatch(plan, "B", {sampled(0)});
  EXPECT_EQ(hazards(plan), "");
}

TEST(Hazards, ContentsThatAreStoredOrComparedAfterUndefined) {
  Plan plan = dropped_image();
  plan.resources[0].outputs.push_back({.path = "i.npy"});
  plan.expectations.push_back({.resource = 0, .origin = origin("/expect")});
  EXPECT_EQ(
      hazards(plan),
      "/i: warning: hazard: the run stores level 0 of `i`, whose contents a barrier gave up [hazard]\n"
      "  = at /i\n"
      "/b: note: barrier `b` has the old layout VK_IMAGE_LAYOUT_UNDEFINED\n"
      "/expect: warning: hazard: an expectation compares level 0 of `i`, whose contents a barrier gave up [hazard]\n"
      "  = at /expect\n"
      "/b: note: barrier `b` has the old layout VK_IMAGE_LAYOUT_UNDEFINED\n");
}

TEST(Hazards, ContentsThatTheCallerTakesAfterUndefined) {
  Plan plan = dropped_image();
  plan.captures = {{.resource = 0}};
  EXPECT_EQ(check_hazards(plan).all().at(0).message,
            "hazard: the caller takes level 0 of `i`, whose contents a barrier gave up");
}

// The last writer of an output needs no barrier: the runner waits.
TEST(Hazards, OutputsNeedNoBarrier) {
  Plan plan;
  const ResourceIndex x = add_buffer(plan, "x", 64);
  plan.resources[x].outputs.push_back({.path = "x.npy"});
  add_dispatch(plan, "A", {writes(x)});
  EXPECT_EQ(hazards(plan), "");
}

}  // namespace
}  // namespace slipway::launch
