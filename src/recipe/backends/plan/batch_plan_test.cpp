// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Compares the launch plans of run lists, printed, with the expected text.
#include "recipe/backends/plan/batch_plan.hpp"

#include <gtest/gtest.h>

#include "launch/check/hazards.hpp"
#include "launch/plan/explain.hpp"
#include "recipe/backends/plan/parts.hpp"
#include "testing/gpu_fixture.hpp"

namespace slipway::recipe {
namespace {

using testing::must;

class BatchPlanTest : public testing::GpuTest {
 protected:
  BufferPtr buffer(const std::string& name) {
    return std::make_shared<VulkanBuffer>(
        nullptr,
        must(gpu::create_buffer(device(), {.size = 1024, .location = gpu::BufferLocation::Readback, .name = name})));
  }

  // A kernel that reads argument 0 and writes argument 1.
  static KernelPtr kernel() {
    KernelPlan plan{
        .name = "k", .module = ModuleCode{.words = std::make_shared<const spirv::Words>()}, .entry = "main"};
    plan.signature.parameters = {
        {.argidx = 0, .writes = false, .target = DescriptorTarget{.binding = 0}},
        {.argidx = 1, .reads = false, .target = DescriptorTarget{.binding = 1}},
        {.argidx = 2, .target = SpecializationTarget{.id = 5}},
    };
    return std::make_shared<const VulkanKernel>(nullptr, std::move(plan));
  }

  static KernelRun run(std::string id, KernelPtr kernel, BufferArgument in, BufferArgument out) {
    in.argidx = 0;
    out.argidx = 1;
    return {.id = std::move(id), .kernel = std::move(kernel), .buffers = {std::move(in), std::move(out)}};
  }

  // For a device where offsets of descriptors are multiples of 16 bytes.
  BatchPlan plan(std::span<const KernelRun> runs) {
    vk::Snapshot aligned = snapshot();
    aligned.limits.min_storage_buffer_offset_alignment = 16;
    BatchPlan batch = must(plan_batch(runs, aligned));
    EXPECT_TRUE(launch::check_hazards(batch.plan).empty());
    return batch;
  }

  static std::string steps(const BatchPlan& batch) {
    const std::string text = launch::print_plan(batch.plan);
    return text.substr(text.find("steps\n"));
  }
};

TEST_F(BatchPlanTest, BarriersAreOnlyBetweenConflicts) {
  const BufferPtr x = buffer("x"), y = buffer("y"), z = buffer("z");
  const KernelPtr k = kernel();
  const KernelRun runs[] = {run("a", k, {.buffer = x, .size = 64}, {.buffer = y, .size = 64}),
                            run("b", k, {.buffer = x, .size = 64}, {.buffer = y, .offset = 64, .size = 64}),
                            run("c", k, {.buffer = y, .offset = 96, .size = 32}, {.buffer = z, .size = 32}),
                            run("d", k, {.buffer = x, .size = 64}, {.buffer = z, .offset = 32, .size = 64})};
  EXPECT_EQ(launch::print_plan(plan(runs).plan),
            "plan of run list\n"
            "resources\n"
            "  0 `x`: buffer, 1024 bytes, uniform, external\n"
            "  1 `y`: buffer, 1024 bytes, uniform, external\n"
            "  2 `z`: buffer, 1024 bytes, uniform, external\n"
            "shaders\n"
            "  0 `k`: compute `main`, 0 words of SPIR-V\n"
            "steps\n"
            "  0 `a`: dispatch `k`, 1 x 1 x 1 workgroups\n"
            "      set 0 binding 0: `x` from byte 0 to 64, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, read\n"
            "      set 0 binding 1: `y` from byte 0 to 64, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, written\n"
            "  1 `b`: dispatch `k`, 1 x 1 x 1 workgroups\n"
            "      set 0 binding 0: `x` from byte 0 to 64, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, read\n"
            "      set 0 binding 1: `y` from byte 64 to 128, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, written\n"
            "      full barrier\n"
            "  2 `c`: dispatch `k`, 1 x 1 x 1 workgroups\n"
            "      set 0 binding 0: `y` from byte 96 to 128, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, read\n"
            "      set 0 binding 1: `z` from byte 0 to 32, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, written\n"
            "  3 `d`: dispatch `k`, 1 x 1 x 1 workgroups\n"
            "      set 0 binding 0: `x` from byte 0 to 64, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, read\n"
            "      set 0 binding 1: `z` from byte 32 to 96, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, written\n");
}

TEST_F(BatchPlanTest, StagingCopiesAndZeros) {
  const BufferPtr x = buffer("x");
  const KernelPtr k = kernel();
  KernelRun zero = run("b", k, {}, {.buffer = x, .size = 16});
  zero.buffers.erase(zero.buffers.begin());
  const KernelRun runs[] = {
      run("a", k, {.buffer = x, .offset = 4, .size = 16}, {.buffer = x, .offset = 20, .size = 16}), zero};
  const BatchPlan batch = plan(runs);
  EXPECT_EQ(steps(batch),
            "steps\n"
            "  0 `a`: copy 16 bytes, `x` at 4 to `a` at 0\n"
            "  1 `a`: copy 16 bytes, `x` at 20 to `a` at 0\n"
            "      full barrier\n"
            "  2 `a`: dispatch `k`, 1 x 1 x 1 workgroups\n"
            "      set 0 binding 0: `a`, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, read\n"
            "      set 0 binding 1: `a`, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, written\n"
            "      full barrier\n"
            "  3 `a`: copy 16 bytes, `a` at 0 to `x` at 20\n"
            "      full barrier\n"
            "  4 `b`: dispatch `k`, 1 x 1 x 1 workgroups\n"
            "      set 0 binding 0: `zeros`, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, read\n"
            "      set 0 binding 1: `x` from byte 0 to 16, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, written\n");
  EXPECT_EQ(batch.runs[1].first_step, 4u);
  EXPECT_EQ(batch.runs[1].first_command, 1u);
}

TEST_F(BatchPlanTest, EachVariantOfAKernelIsAShader) {
  const BufferPtr x = buffer("x"), y = buffer("y");
  const KernelPtr k = kernel();
  std::vector<KernelRun> runs;
  for (const int factor : {1, 2, 1}) {
    runs.push_back(run("r", k, {.buffer = x, .size = 16}, {.buffer = y, .size = 16}));
    runs.back().scalars = {{.argidx = 2, .bytes = {4, std::byte(factor)}}};
  }
  EXPECT_EQ(plan(runs).plan.shaders.size(), 2u);
}

// Copies of a list can conflict only in the ranges of shared buffers that one of them writes.
TEST_F(BatchPlanTest, ContentionBeginsWithTheFirstSharedRangeThatIsWritten) {
  const BufferPtr x = buffer("x"), y = buffer("y");
  const KernelPtr k = kernel();
  const BufferArgument shared_x{.buffer = x, .size = 64, .external = true}, own{.buffer = y, .size = 64};
  const BufferArgument written{.buffer = x, .offset = 512, .size = 64, .external = true};
  const KernelRun runs[] = {run("a", k, shared_x, own), run("b", k, own, written)};
  const BatchPlan batch = plan(runs);
  EXPECT_EQ(batch.first_contended(), 1u);
  EXPECT_EQ(batch.runs[0].shared.size(), 1u);
}

}  // namespace
}  // namespace slipway::recipe
