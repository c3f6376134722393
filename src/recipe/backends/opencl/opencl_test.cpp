// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tests with PoCL, or any OpenCL device that accepts SPIR-V. Without a device, only tests of reading modules run.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <ranges>

#include "recipe/backends/opencl/backend.hpp"
#include "recipe/backends/opencl/devices.hpp"
#include "recipe/backends/opencl/kernel.hpp"
#include "recipe/plan.hpp"
#include "spirv/tools.hpp"

namespace slipway::recipe::opencl {
namespace {

using ::testing::HasSubstr;

// scale(global const uint* x, global uint* y, uint factor): y[i] = x[i] * factor
// fill(global uint* y, uint value, local uint*): y[i] = value, work-groups of 4
constexpr std::string_view kAssembly = R"(
  OpCapability Kernel
  OpCapability Addresses
  OpCapability Int64
  OpMemoryModel Physical64 OpenCL
  OpEntryPoint Kernel %scale "scale" %gid
  OpEntryPoint Kernel %fill "fill" %gid
  OpExecutionMode %fill LocalSize 4 1 1
  OpName %x "x"
  OpName %y "y"
  OpName %factor "factor"
  OpDecorate %gid BuiltIn GlobalInvocationId
  OpDecorate %gid Constant
  OpDecorate %x FuncParamAttr NoWrite
  %void = OpTypeVoid
  %u32 = OpTypeInt 32 0
  %u64 = OpTypeInt 64 0
  %v3 = OpTypeVector %u64 3
  %gptr = OpTypePointer CrossWorkgroup %u32
  %lptr = OpTypePointer Workgroup %u32
  %iptr = OpTypePointer Input %v3
  %gid = OpVariable %iptr Input
  %scale_type = OpTypeFunction %void %gptr %gptr %u32
  %fill_type = OpTypeFunction %void %gptr %u32 %lptr
  %scale = OpFunction %void None %scale_type
  %x = OpFunctionParameter %gptr
  %y = OpFunctionParameter %gptr
  %factor = OpFunctionParameter %u32
  %1 = OpLabel
  %id = OpLoad %v3 %gid Aligned 32
  %i = OpCompositeExtract %u64 %id 0
  %from = OpInBoundsPtrAccessChain %gptr %x %i
  %to = OpInBoundsPtrAccessChain %gptr %y %i
  %value = OpLoad %u32 %from Aligned 4
  %product = OpIMul %u32 %value %factor
  OpStore %to %product Aligned 4
  OpReturn
  OpFunctionEnd
  %fill = OpFunction %void None %fill_type
  %z = OpFunctionParameter %gptr
  %with = OpFunctionParameter %u32
  %scratch = OpFunctionParameter %lptr
  %2 = OpLabel
  %id2 = OpLoad %v3 %gid Aligned 32
  %i2 = OpCompositeExtract %u64 %id2 0
  %to2 = OpInBoundsPtrAccessChain %gptr %z %i2
  OpStore %to2 %with Aligned 4
  OpReturn
  OpFunctionEnd
)";

spirv::Module test_module() {
  Result<spirv::Words> words = spirv::assemble(make_source("scale.spvasm", std::string(kAssembly)));
  if (!words) throw std::runtime_error(words.error().front().message);
  (*words)[1] = 0x10200;  // devices take older versions than the assembler writes
  return *spirv::read_module(std::move(*words), "scale.spv");
}

KernelInfo info_of(std::string_view entry) {
  for (KernelInfo& info : kernels_of(test_module())) {
    if (info.entry == entry) return info;
  }
  throw std::runtime_error("no such kernel");
}

KernelPlan plan_of(std::string_view entry) {
  KernelPlan plan;
  plan.name = entry;
  plan.backend = BackendKind::OpenCl;
  plan.entry = entry;
  plan.signature = default_signature(info_of(entry));
  const spirv::Module module = test_module();
  plan.module = ModuleCode{.name = "scale.spv",
                           .words = std::make_shared<spirv::Words>(module.words().begin(), module.words().end()),
                           .source = {},
                           .reflection = nullptr};
  plan.origin.location = SourceLocation::in_file("recipe.json");
  return plan;
}

TEST(OpenClKernel, ReadsArguments) {
  EXPECT_TRUE(is_kernel_module(test_module()));
  const KernelInfo scale = info_of("scale");
  ASSERT_EQ(scale.arguments.size(), 3u);
  EXPECT_EQ(scale.arguments[0].kind, KernelArgument::Kind::Buffer);
  EXPECT_EQ(scale.arguments[0].name, "x");
  EXPECT_FALSE(scale.arguments[0].writes);
  EXPECT_TRUE(scale.arguments[1].writes);
  EXPECT_EQ(scale.arguments[2].kind, KernelArgument::Kind::Value);
  EXPECT_EQ(scale.arguments[2].type, "32-bit integer");
  EXPECT_EQ(scale.arguments[2].size, 4u);
  EXPECT_FALSE(scale.required_local);
  const KernelInfo fill = info_of("fill");
  EXPECT_EQ(fill.arguments[2].kind, KernelArgument::Kind::Local);
  EXPECT_EQ(fill.required_local, (Grid{4, 1, 1}));
  EXPECT_EQ(default_signature(fill).parameters.size(), 2u);
  EXPECT_FALSE(default_signature(scale).parameters[0].writes);
}

class OpenCl : public ::testing::Test {
 protected:
  void SetUp() override {
    Result<BackendPtr> opened = open_backend();
    if (!opened) GTEST_SKIP() << opened.error().front().message;
    backend = std::move(*opened);
  }

  BufferPtr buffer(std::size_t size) {
    const Result<BufferPtr> made = backend->create_buffer({.size = size, .name = "test"});
    if (!made) throw std::runtime_error(made.error().front().message);
    return *made;
  }
  static std::span<std::uint32_t> values(const BufferPtr& buffer) {
    return {static_cast<std::uint32_t*>(buffer->host_address()), buffer->size() / 4};
  }
  static ScalarArgument number(std::uint32_t argidx, std::uint32_t value) {
    ScalarArgument scalar{.argidx = argidx, .bytes = std::vector<std::byte>(sizeof value)};
    store(scalar.bytes.data(), value);
    return scalar;
  }
  KernelPtr kernel(const KernelPlan& plan) {
    Result<KernelPtr> loaded = backend->load_kernel(plan, nullptr);
    if (!loaded) throw std::runtime_error(loaded.error().front().message);
    return *loaded;
  }
  void run(std::vector<KernelRun> runs) {
    Result<ListPtr> list = backend->make_list(runs, {});
    ASSERT_TRUE(list) << list.error().front().message;
    ASSERT_TRUE((*list)->submit());
    ASSERT_TRUE((*list)->wait({}, false).value_or(false));
  }

  BackendPtr backend;
};

TEST_F(OpenCl, DescribesItsDevice) {
  EXPECT_EQ(backend->kind(), BackendKind::OpenCl);
  EXPECT_FALSE(backend->describe().device.empty());
  EXPECT_FALSE(backend->describe().driver.empty());
}

TEST_F(OpenCl, RunsListsRepeatedly) {
  const BufferPtr x = buffer(64), y = buffer(64), z = buffer(64);
  EXPECT_TRUE(backend->can_use(*x));
  EXPECT_EQ(std::ranges::count(values(x), 0u), 16);
  std::ranges::iota(values(x), 1u);
  const KernelPtr scale = kernel(plan_of("scale"));
  const auto of = [&](const BufferPtr& from, const BufferPtr& to, std::uint32_t factor) {
    return KernelRun{.id = "r",
                     .kernel = scale,
                     .groups = {16, 1, 1},
                     .buffers = {{0, from, 0, 64}, {1, to, 0, 64}},
                     .scalars = {number(2, factor)}};
  };
  const KernelRun runs[] = {of(x, y, 3), of(y, z, 5)};
  Result<ListPtr> list = backend->make_list(runs, {.timings = true});
  ASSERT_TRUE(list) << list.error().front().message;
  EXPECT_TRUE((*list)->wait({}, false).value());
  for (std::uint32_t round = 1; round <= 3; ++round) {
    values(x)[7] = round;
    ASSERT_TRUE((*list)->submit());
    ASSERT_TRUE((*list)->wait(std::chrono::seconds(60), round == 2).value());
    EXPECT_EQ(values(z)[0], 15u);
    EXPECT_EQ(values(z)[7], 15 * round);
    EXPECT_EQ((*list)->timings().size(), 2u);
  }
}

TEST_F(OpenCl, TakesPartsOfBuffersAtAnyOffset) {
  const std::uint64_t alignment = 1024;
  const BufferPtr x = buffer(4096), y = buffer(4096);
  std::ranges::iota(values(x), 0u);
  const KernelPtr scale = kernel(plan_of("scale"));
  for (const std::uint64_t offset : {alignment, std::uint64_t{4}, std::uint64_t{20}}) {
    std::ranges::fill(values(y), 9u);
    run({{.id = "part",
          .kernel = scale,
          .groups = {4, 1, 1},
          .buffers = {{0, x, offset, 16}, {1, y, offset + 4, 16}},
          .scalars = {number(2, 2)}}});
    for (std::uint64_t i = 0; i < 1024; ++i) {
      const std::uint64_t first = offset / 4 + 1;
      const std::uint64_t expected = i >= first && i < first + 4 ? 2 * (i - 1) : 9;
      ASSERT_EQ(values(y)[i], expected) << "word " << i << ", offset " << offset;
    }
  }
}

TEST_F(OpenCl, RefusesOverlappingCopies) {
  const BufferPtr x = buffer(64);
  const KernelPtr scale = kernel(plan_of("scale"));
  const KernelRun runs[] = {{.id = "r",
                             .kernel = scale,
                             .groups = {4, 1, 1},
                             .buffers = {{0, x, 0, 32}, {1, x, 4, 32}},
                             .scalars = {number(2, 2)}}};
  const Result<ListPtr> list = backend->make_list(runs, {});
  ASSERT_FALSE(list);
  EXPECT_EQ(list.error().front().kind, DiagnosticKind::BufferSize);
  EXPECT_THAT(list.error().front().message, HasSubstr("run 'r' has overlapping parts"));
}

TEST_F(OpenCl, LocalMemoryAndRequiredSizes) {
  KernelPlan plan = plan_of("fill");
  plan.signature.parameters.push_back({.argidx = 2, .target = LocalMemoryTarget{.index = 2, .bytes = 64}});
  const BufferPtr y = buffer(64);
  run({{.id = "fill",
        .kernel = kernel(plan),
        .groups = {4, 1, 1},
        .buffers = {{0, y, 0, 64}},
        .scalars = {number(1, 77)}}});
  EXPECT_EQ(std::ranges::count(values(y), 77u), 16);
}

TEST_F(OpenCl, ReportsErrorsOfKernels) {
  const auto problem = [&](const KernelPlan& plan) {
    const Result<KernelPtr> loaded = backend->load_kernel(plan, nullptr);
    return loaded ? Diagnostic{} : loaded.error().front();
  };
  KernelPlan plan = plan_of("scale");
  plan.entry = "skale";
  EXPECT_EQ(problem(plan).kind, DiagnosticKind::KernelEntry);
  plan = plan_of("scale");
  plan.build_options = "-no-such-option";
  const Diagnostic options = problem(plan);
  EXPECT_EQ(options.kind, DiagnosticKind::KernelModule);
  EXPECT_EQ(options.location.file, "recipe.json");
  plan.module.reset();
  EXPECT_EQ(problem(plan).kind, DiagnosticKind::KernelModule);
  const Result<BufferPtr> huge = backend->create_buffer({.size = ~std::uint64_t{0} / 2, .name = "huge"});
  ASSERT_FALSE(huge);
  EXPECT_EQ(huge.error().front().kind, DiagnosticKind::DeviceLacks);
}

TEST_F(OpenCl, ReportsBadWorkGroups) {
  KernelPlan plan = plan_of("scale");
  plan.local = Grid{1u << 20, 1, 1};
  const BufferPtr x = buffer(64);
  const KernelRun runs[] = {{.id = "r",
                             .kernel = kernel(plan),
                             .groups = {1, 1, 1},
                             .buffers = {{0, x, 0, 64}, {1, x, 0, 64}},
                             .scalars = {number(2, 2)}}};
  const Result<ListPtr> list = backend->make_list(runs, {});
  ASSERT_TRUE(list);
  const Result<> submitted = (*list)->submit();
  ASSERT_FALSE(submitted);
  EXPECT_EQ(submitted.error().front().kind, DiagnosticKind::RunFailed);
  EXPECT_THAT(submitted.error().front().message, HasSubstr("CL_INVALID_WORK_"));
}

TEST(OpenClDevices, AreChosenByIndexOrName) {
  std::vector<DeviceInfo> devices(3);
  devices[0] = {.type = CL_DEVICE_TYPE_CPU, .name = "cpu-a", .il_version = "SPIR-V_1.2"};
  devices[1] = {.type = CL_DEVICE_TYPE_GPU, .name = "old-gpu"};
  devices[2] = {.type = CL_DEVICE_TYPE_GPU, .name = "gpu-b", .il_version = "SPIR-V_1.5"};
  EXPECT_EQ(choose_device(devices, "")->name, "gpu-b");
  EXPECT_EQ(choose_device(devices, "0")->name, "cpu-a");
  EXPECT_EQ(choose_device(devices, "b")->name, "gpu-b");
  const auto kind = [&](std::string_view selector) { return choose_device(devices, selector).error().front().kind; };
  EXPECT_EQ(kind("old"), DiagnosticKind::DeviceLacks);
  EXPECT_EQ(kind("3"), DiagnosticKind::NoDevice);
  EXPECT_EQ(kind("nothing"), DiagnosticKind::NoDevice);
  EXPECT_EQ(choose_device({devices[1]}, "").error().front().kind, DiagnosticKind::DeviceLacks);
}

}  // namespace
}  // namespace slipway::recipe::opencl
