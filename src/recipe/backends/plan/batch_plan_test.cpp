// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Compares the launch plans of run lists, printed, with the expected text.
#include "recipe/backends/plan/batch_plan.hpp"

#include <gtest/gtest.h>

#include "base/format.hpp"
#include "executors/cpu/executor.hpp"
#include "launch/check/hazards.hpp"
#include "launch/plan/explain.hpp"
#include "recipe/backends/plan/parts.hpp"
#include "recipe/plan/model_kernel.hpp"
#include "vk/snapshot.hpp"

namespace slipway::recipe {
namespace {

// An executor that only plans are made for.
class DeviceToPlanFor final : public launch::Executor {
 public:
  Result<launch::ExecutorInfo> info() override { return fail(DiagnosticKind::NoDevice, {}, ""); }
  Diagnostics check(const launch::Plan&) override { return {}; }
  Result<std::unique_ptr<launch::PreparedPlan>> prepare(const launch::Plan&, launch::PrepareOptions, const Log&,
                                                        launch::PerfCounters) override {
    return fail(DiagnosticKind::NoDevice, {}, "");
  }
  Result<std::shared_ptr<launch::ExternalBuffer>> create_buffer(const launch::BufferRequest& request) override {
    return cpu_.create_buffer(request);
  }

 private:
  launch::CpuExecutor cpu_;
};

class BatchPlanTest : public ::testing::Test {
 protected:
  // Offsets of descriptors are multiples of 16 bytes.
  BatchPlanTest() {
    snapshot_.limits.min_storage_buffer_offset_alignment = 16;
    snapshot_.limits.max_storage_buffer_range = 1024;
    snapshot_.limits.max_compute_workgroup_count = {1, 1, 1};
    device_->executor = std::make_shared<DeviceToPlanFor>();
    device_->info.vulkan = {std::shared_ptr<void>(), &snapshot_};
  }

  BufferPtr buffer(const std::string& name) {
    return std::make_shared<PlanBuffer>(device_, device_->executor->create_buffer({.size = 1024}).value(), name);
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
    return std::make_shared<const PlanKernel>(nullptr, std::move(plan));
  }

  static KernelRun run(std::string id, KernelPtr kernel, BufferArgument in, BufferArgument out) {
    in.argidx = 0;
    out.argidx = 1;
    return {.id = std::move(id), .kernel = std::move(kernel), .buffers = {std::move(in), std::move(out)}};
  }

  BatchPlan plan(std::span<const KernelRun> runs) {
    BatchPlan batch = plan_batch(runs, *device_).value();
    EXPECT_TRUE(launch::check_hazards(batch.plan).empty());
    return batch;
  }

  static std::string steps(const BatchPlan& batch) {
    const std::string text = launch::print_plan(batch.plan);
    return text.substr(text.find("steps\n"));
  }

  vk::Snapshot snapshot_;
  std::shared_ptr<PlanDevice> device_ = std::make_shared<PlanDevice>();
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
  EXPECT_EQ(batch.runs[0].end_step, 4u);
  EXPECT_EQ(batch.runs[1].first_step, 4u);
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

// --- models on the CPU ---

class BatchPlanOnCpuTest : public BatchPlanTest {
 protected:
  BatchPlanOnCpuTest() {
    device_->executor = std::make_shared<launch::CpuExecutor>();
    device_->info.vulkan = nullptr;
    buffer_ = buffer("x");
  }

  // A model of one call, which may write its input.
  static KernelPtr model(bool writes_input = false) {
    auto model = std::make_shared<ModelKernel>();
    KernelPlan plan{.name = "net"};
    launch::Call call;
    for (const bool writes : {false, true}) {
      const auto index = static_cast<std::uint32_t>(model->ports.size());
      const std::string name = writes ? "out" : "in";
      model->plan.resources.push_back({.name = name, .kind = launch::Buffer{.size = 64}});
      model->ports.push_back({.name = name, .resource = index, .size = 64, .writes = writes});
      call.arguments.push_back({.buffer = index, .reads = !writes, .writes = writes || writes_input});
      plan.signature.parameters.push_back(
          {.argidx = index, .name = name, .size = 64, .reads = !writes, .writes = writes});
    }
    model->plan.steps.push_back({.name = "call", .action = call});
    plan.model = std::move(model);
    return std::make_shared<const PlanKernel>(nullptr, std::move(plan));
  }

  // The plan's steps, of a run between two offsets of one buffer.
  std::string steps_of(const KernelPtr& kernel, std::uint64_t in, std::uint64_t out) {
    const KernelRun runs[] = {run("r", kernel, part(in), part(out))};
    return steps(plan_batch(runs, *device_).value());
  }

  BufferArgument part(std::uint64_t offset) const { return {.buffer = buffer_, .offset = offset, .size = 64}; }

  BufferPtr buffer_;
};

TEST_F(BatchPlanOnCpuTest, AlignedRangesAreUsedInPlace) {
  constexpr std::string_view kInPlace =
      "steps\n"
      "  0 `call`: call a function of the host\n"
      "      argument 0: `in`, read\n"
      "      argument 1: `out`, written\n";
  EXPECT_EQ(steps_of(model(), 0, 64), kInPlace);
  EXPECT_EQ(steps_of(model(), 512, 128), kInPlace);
  const KernelRun runs[] = {run("a", model(), part(0), part(64)), run("b", model(), part(64), part(0))};
  const BatchPlan batch = plan_batch(runs, *device_).value();
  ASSERT_EQ(batch.external.size(), 4u);
  EXPECT_EQ(batch.external[0]->bytes().data(), buffer_->host_address());
  EXPECT_EQ(batch.external[1]->bytes().data(), batch.external[2]->bytes().data());
  EXPECT_EQ(batch.external[3]->bytes().size(), 64u);
  EXPECT_EQ(batch.runs[1].first_step, 1u);
}

TEST_F(BatchPlanOnCpuTest, OtherRangesAreCopied) {
  EXPECT_EQ(steps_of(model(), 4, 64 + 64),
            "steps\n"
            "  0 `r`: copy 64 bytes, `x` at 4 to `in` at 0\n"
            "      full barrier\n"
            "  1 `call`: call a function of the host\n"
            "      argument 0: `in`, read\n"
            "      argument 1: `out`, written\n");
  constexpr std::string_view kBoth =
      "steps\n"
      "  0 `r`: copy 64 bytes, `x` at {1} to `out` at 0\n"
      "      full barrier\n"
      "  1 `r`: copy 64 bytes, `x` at {0} to `in` at 0\n"
      "      full barrier\n"
      "  2 `call`: call a function of the host\n"
      "      argument 0: `in`, read\n"
      "      argument 1: `out`, written\n"
      "  3 `r`: copy 64 bytes, `out` at 0 to `x` at {1}\n"
      "      full barrier\n";
  EXPECT_EQ(steps_of(model(), 0, 32), formatted(kBoth, 0, 32));    // neither aligned nor apart
  EXPECT_EQ(steps_of(model(), 64, 64), formatted(kBoth, 64, 64));  // one range
}

TEST_F(BatchPlanOnCpuTest, AnInputThatTheModelWritesIsCopied) {
  EXPECT_EQ(steps_of(model(true), 0, 64),
            "steps\n"
            "  0 `r`: copy 64 bytes, `x` at 0 to `in` at 0\n"
            "      full barrier\n"
            "  1 `call`: call a function of the host\n"
            "      argument 0: `in`, read and written\n"
            "      argument 1: `out`, written\n");
}

}  // namespace
}  // namespace slipway::recipe
