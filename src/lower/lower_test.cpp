// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Whole programs as text, without a device.
#include "lower/lower.hpp"

#include <algorithm>

#include <spirv/unified1/spirv.hpp11>

#include "lower/testing.hpp"
#include "spirv/module.hpp"
#include "spirv/tools.hpp"
#include "testing/device_facts.hpp"

namespace slipway::lower {
namespace {

std::string lowered(const std::string& lines, const LowerOptions& options = {}) {
  const tosa::Graph graph = graph_of(lines);
  const auto program = lower_graph(graph, options);
  return program ? print_program(graph, *program) : format_diagnostics(program.error(), {.sources = false});
}

// A line for each dispatch: its stage, for how many workgroups of the stage before it waits, and whether it counts its
// own.
std::string print_links(const KernelProgram& program) {
  std::string text;
  for (const ProgramDispatch& one : program.dispatches) {
    text += formatted("stage {}: {} {} workgroups", one.stage, program.kernels[one.kernel].name, one.groups[0]);
    if (one.link.workgroups) text += formatted(", waits for {} at {}", one.link.workgroups, one.link.waits_at);
    if (one.link.counts) text += formatted(", counts at {}", one.link.counts_at);
    text += '\n';
  }
  return text;
}

TEST(LowerGraph, OneKernel) {
  EXPECT_EQ(lowered("%0 = input f32[100]\n"
                    "%1 = EXP(%0) f32[100]\n"
                    "%2 = ABS(%1) f32[100]\n"
                    "output %2\n"),
            "1 dispatches, 1 kernels, arena 0 bytes (at least 0)\n"
            "0: kernel 0 EXP+ABS [2, 1, 1] input 0 -> output 0 f32[100]\n");
}

// That of an output also makes its NaN canonical.
TEST(LowerGraph, EqualGroupsShareTheirKernelAndTheirMemory) {
  EXPECT_EQ(lowered("%0 = input f32[1, 8, 8]\n"
                    "%1 = MATMUL(%0, %0) f32[1, 8, 8] A_zp=0 B_zp=0\n"
                    "%2 = MATMUL(%1, %1) f32[1, 8, 8] A_zp=0 B_zp=0\n"
                    "%3 = MATMUL(%2, %2) f32[1, 8, 8] A_zp=0 B_zp=0\n"
                    "%4 = MATMUL(%3, %3) f32[1, 8, 8] A_zp=0 B_zp=0\n"
                    "output %4\n"),
            "4 dispatches, 2 kernels, arena 512 bytes (at least 512)\n"
            "0: kernel 0 MATMUL [1, 1, 1] input 0 -> arena 0x0 f32[1, 8, 8]\n"
            "1: kernel 0 MATMUL [1, 1, 1] arena 0x0 -> arena 0x100 f32[1, 8, 8]\n"
            "2: kernel 0 MATMUL [1, 1, 1] arena 0x100 -> arena 0x0 f32[1, 8, 8]\n"
            "3: kernel 1 MATMUL [1, 1, 1] arena 0x0 -> output 0 f32[1, 8, 8]\n");
}

TEST(LowerGraph, OutputsThatNoKernelStoresAreCopied) {
  EXPECT_EQ(lowered("%0 = input f32[4]\n"
                    "%1 = const f32[4] splat 1.0\n"
                    "%2 = ABS(%0) f32[4]\n"
                    "output %2\n"
                    "output %2\n"
                    "output %0\n"
                    "output %1\n"),
            "4 dispatches, 3 kernels, arena 0 bytes (at least 0)\n"
            "0: kernel 0 ABS [1, 1, 1] input 0 -> output 0 f32[4]\n"
            "1: kernel 1 COPY [1, 1, 1] input 0 -> output 2 f32[4]\n"
            "2: kernel 2 COPY [1, 1, 1] -> output 3 f32[4]\n"
            "3: kernel 1 COPY [1, 1, 1] output 0 -> output 1 f32[4]\n");
}

TEST(LowerGraph, LongDispatchesHaveSeveralRowsOfWorkgroups) {
  const std::string lines =
      "%0 = input f32[640]\n"
      "%1 = ABS(%0) f32[640]\n"
      "output %1\n";
  EXPECT_EQ(lowered(lines, {.device = {}, .max_groups = 4}),
            "1 dispatches, 1 kernels, arena 0 bytes (at least 0)\n"
            "0: kernel 0 ABS [4, 3, 1] input 0 -> output 0 f32[640]\n");
}

// Each kernel copies as many inputs as it may have buffers.
TEST(LowerGraph, AConcatOfManyInputsIsSeveralKernels) {
  std::string lines, inputs;
  for (int i = 0; i < 15; ++i) {
    lines += formatted("%{} = input f32[2, {}]\n", i, 1 + i % 2);
    inputs += formatted("{}%{}", i == 0 ? "" : ", ", i);
  }
  lines += "%15 = CONCAT(" + inputs + ") f32[2, 22] axis=1\noutput %15\n";
  EXPECT_EQ(
      lowered(lines),
      "3 dispatches, 3 kernels, arena 0 bytes (at least 0)\n"
      "0: kernel 0 CONCAT [1, 1, 1] input 0, input 1, input 2, input 3, input 4, input 5 -> output 0 f32[2, 22]\n"
      "1: kernel 1 CONCAT [1, 1, 1] input 6, input 7, input 8, input 9, input 10, input 11 -> output 0 f32[2, 22]\n"
      "2: kernel 2 CONCAT [1, 1, 1] input 12, input 13, input 14 -> output 0 f32[2, 22]\n");
  const auto with_addresses = lower_graph(graph_of(lines), {.device = slipway::testing::kGpu});
  ASSERT_TRUE(with_addresses);
  ASSERT_EQ(with_addresses->kernels.size(), 2u);
  EXPECT_EQ(with_addresses->kernels[0].bindings, 14u);
  EXPECT_EQ(with_addresses->kernels[1].bindings, 3u);
}

// On the CPU the inputs are joined in a tree, whose kernels are equal where the shapes are.
TEST(LowerGraph, AConcatOfManyInputsIsATreeOnTheCpu) {
  std::string lines, inputs;
  for (int i = 0; i < 300; ++i) {
    lines += formatted("%{} = input f32[2, 3]\n", i);
    inputs += formatted("{}%{}", i == 0 ? "" : ", ", i);
  }
  lines += "%300 = CONCAT(" + inputs + ") f32[600, 3] axis=0\noutput %300\n";
  DeviceFacts facts = testing::cpu_facts();
  facts.native_vectors = true;
  const auto program = lower_graph(graph_of(lines), {.device = facts});
  ASSERT_TRUE(program);
  // 18 of 16 inputs and one of 12; one of 16 of these and one of 3; one of both.
  EXPECT_EQ(program->dispatches.size(), 22u);
  EXPECT_EQ(program->kernels.size(), 5u);
  for (const ProgramKernel& kernel : program->kernels) EXPECT_LE(kernel.bindings, 17u);
}

// Where a driver removes a conversion and its inverse, a rounding to 16 bits is computed from the bits.
TEST(LowerGraph, RoundingIsNoConversionThatADriverRemoves) {
  const tosa::Graph graph = graph_of(
      "%0 = input f32[7]\n"
      "%1 = CAST(%0) f16[7]\n"
      "%2 = CAST(%1) f32[7]\n"
      "output %2\n");
  const auto conversions = [&](bool removes) {
    DeviceFacts facts = testing::kGpu;
    facts.floats.f16_conversions = true;
    facts.floats.removes_conversions = removes;
    const auto program = lower_graph(graph, {.device = facts});
    EXPECT_TRUE(program);
    if (!program) return std::ptrdiff_t{-1};
    const auto module = spirv::read_module(spirv::Words(*program->kernels.at(0).spirv), "kernel");
    EXPECT_TRUE(module);
    return module ? std::ranges::count(module->instructions(), spv::Op::OpFConvert, &spirv::Instruction::op) : -1;
  };
  EXPECT_EQ(conversions(false), 2);  // to 16 bits and back
  EXPECT_EQ(conversions(true), 1);   // back
}

// Elements of 8 and 16 bits are parts of words of 32 bits there. Nothing depends on the size of subgroups.
TEST(LowerGraph, DevicesWithoutNarrowAccessesReadWords) {
  const tosa::Graph graph = graph_of(
      "%0 = input i8[7]\n"
      "%1 = CAST(%0) f16[7]\n"
      "%2 = EXP(%1) f16[7]\n"
      "%3 = REVERSE(%2) f16[7] axis=0\n"
      "%4 = CAST(%3) i16[7]\n"
      "output %2\n"
      "output %4\n");
  const auto four = lower_graph(graph, {.device = testing::small_gpu_facts(4)}),
             eight = lower_graph(graph, {.device = testing::small_gpu_facts(8)});
  ASSERT_TRUE(four && eight);
  EXPECT_EQ(print_program(graph, *four), print_program(graph, *eight));
  for (std::size_t i = 0; i < four->kernels.size(); ++i) {
    const ProgramKernel& kernel = four->kernels[i];
    EXPECT_EQ(*kernel.spirv, *eight->kernels[i].spirv);
    EXPECT_TRUE(kernel.by_words);
    const auto valid = spirv::validate(*kernel.spirv, kernel.name);
    EXPECT_TRUE(valid) << format_diagnostics(valid.error());
    constexpr std::uint32_t kCapability = 17, kHeader = 5, kShader = 1;
    for (std::size_t at = kHeader; ((*kernel.spirv)[at] & 0xffff) == kCapability; at += 2)
      EXPECT_TRUE((*kernel.spirv)[at + 1] == kShader || (*kernel.spirv)[at + 1] > 4460) << (*kernel.spirv)[at + 1];
  }
}

// The estimated best number of workgroups that share a tile, with rates of the device.
std::int64_t estimated_parts(const DeviceFacts& device, std::string_view type) {
  LowerOptions options{.list_sites = true, .device = device};
  const auto program = lower_graph(graph_of(formatted("%0 = input {0}[1, 128, 4096]\n"
                                                      "%1 = input {0}[1, 4096, 128]\n"
                                                      "%2 = MATMUL(%0, %1) {0}[1, 128, 128] A_zp=0 B_zp=0\n"
                                                      "output %2\n",
                                                      type)),
                                   options);
  return program && !program->sites.empty() ? program->sites[0].candidates[0].at("parts") : 0;
}

TEST(LowerGraph, EstimatesUseTheRatesOfTheDevice) {
  DeviceFacts tiles = testing::gpu_facts(), matrices = tiles;
  matrices.matrices = {{.m = 16, .n = 16, .k = 16}};
  for (const auto& [facts, type] : {std::pair(tiles, "f32"), std::pair(matrices, "f16")}) {
    SCOPED_TRACE(type);
    EXPECT_GT(estimated_parts(facts, type), 1);
    DeviceFacts slow = facts;
    slow.rates.further_dispatch = 1e6;
    EXPECT_EQ(estimated_parts(slow, type), 1) << "a further dispatch does not pay off";
    slow.rates = {};
    slow.rates.moved_bytes = 1e-3;
    EXPECT_EQ(estimated_parts(slow, type), 1) << "neither does moving the sums";
  }
  // Where products cost nothing, nothing is gained by sharing them.
  DeviceFacts quick = tiles;
  quick.rates.products = 1e12;
  EXPECT_EQ(estimated_parts(quick, "f32"), 1);
}

TEST(LowerGraph, CustomOperatorsAreRefused) {
  const std::string text = lowered(
      "%0 = input f32[4]\n"
      "%1 = CUSTOM(%0) f32[4] domain=\"d\" name=\"n\" attributes=\"\"\n"
      "output %1\n");
  EXPECT_TRUE(text.contains("the custom operator `n` of `d` runs only on a device that supports it [unsupported]"))
      << text;
}

TEST(LowerGraph, TensorsThatAreTooLargeAreRefused) {
  const std::string text = lowered(
      "%0 = input i8[65536, 65536]\n"
      "%1 = REVERSE(%0) i8[65536, 65536] axis=0\n"
      "output %1\n");
  EXPECT_TRUE(text.contains("REVERSE: the tensor i8[65536, 65536] is too large for kernels")) << text;
}

constexpr std::string_view kStages =
    "%0 = input f32[64, 256]\n"
    "%1 = REDUCE_SUM(%0) f32[64, 1] axis=1\n"
    "%2 = ADD(%0, %1) f32[64, 256]\n"
    "%3 = REDUCE_SUM(%2) f32[1, 256] axis=0\n"
    "%4 = ADD(%2, %3) f32[64, 256]\n"
    "%5 = REDUCE_SUM(%4) f32[64, 1] axis=1\n"
    "%6 = ADD(%4, %5) f32[64, 256]\n"
    "%7 = REDUCE_MAX(%4) f32[64, 1] axis=1 nan_mode=PROPAGATE\n"
    "%8 = ADD(%4, %7) f32[64, 256]\n"
    "%9 = REDUCE_SUM(%6) f32[1, 256] axis=0\n"
    "%10 = ADD(%8, %9) f32[64, 256]\n"
    "%11 = REDUCE_SUM(%10) f32[64, 1] axis=1\n"
    "%12 = ADD(%10, %11) f32[64, 256]\n"
    "%13 = REDUCE_SUM(%12) f32[1, 256] axis=0\n"
    "%14 = ADD(%12, %13) f32[64, 256]\n"
    "output %14\n";

// The first stage does not count: the counters are set to zero beside it.
TEST(LowerGraph, StagesWaitInTheirCodeWhereDispatchesStartInOrder) {
  const tosa::Graph graph = graph_of(std::string(kStages));
  LowerOptions options{.device = slipway::testing::kGpu};
  options.device.starts_in_order = true;
  const KernelProgram program = lower_graph(graph, options).value();
  for (const ProgramKernel& kernel : program.kernels) EXPECT_TRUE(spirv::validate(*kernel.spirv, kernel.name));
  EXPECT_EQ(print_links(program),
            "stage 0: REDUCE_SUM 64 workgroups\n"
            "stage 0: CLEAR 3 workgroups\n"
            "stage 1: ADD+REDUCE_SUM+ADD 32 workgroups, counts at 128\n"
            "stage 2: REDUCE_SUM 64 workgroups, waits for 32 at 128, counts at 256\n"
            "stage 2: REDUCE_MAX 64 workgroups, waits for 32 at 128, counts at 256\n"
            "stage 3: ADD+ADD+REDUCE_SUM+ADD 32 workgroups, waits for 128 at 256, counts at 384\n"
            "stage 4: REDUCE_SUM 64 workgroups, waits for 32 at 384, counts at 512\n"
            "stage 5: ADD+REDUCE_SUM+ADD 32 workgroups, waits for 64 at 512\n");
}

TEST(LowerGraph, StagesHaveBarriersWhereDispatchesDoNotStartInOrder) {
  const tosa::Graph graph = graph_of(std::string(kStages));
  const auto has_links = [&](const LowerOptions& options) {
    const auto program = lower_graph(graph, options).value();
    return std::ranges::any_of(program.kernels, &ProgramKernel::linked);
  };
  LowerOptions options{.device = slipway::testing::kGpu};
  EXPECT_FALSE(has_links(options));
  options.device.starts_in_order = true;
  EXPECT_TRUE(has_links(options));
  // More workgroups than run at the same time.
  options.device.multiprocessors = 1;
  options.device.invocations_of_multiprocessor = 256;
  EXPECT_FALSE(has_links(options));
  options.device = slipway::testing::kGpu;
  options.device.starts_in_order = true;
  // Kernels that are measured one by one.
  options.list_sites = true;
  EXPECT_FALSE(has_links(options));
}

}  // namespace
}  // namespace slipway::lower
