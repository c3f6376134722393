// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The kernels of many graphs for devices of all kinds obey the rules that devices do not check: they run in the
// interpreter without a finding (testing/kernel/interpreter.hpp). What they compute is tested elsewhere.
#include <gmock/gmock.h>

#include <random>

#include "base/format.hpp"
#include "base/print_diagnostic.hpp"
#include "lower/lower.hpp"
#include "lower/testing.hpp"
#include "tensor/element.hpp"
#include "testing/kernel/interpreter.hpp"
#include "testing/tosa/suite.hpp"
#include "testing/written_facts.hpp"
#include "tosa_cases/graphs.hpp"
#include "tosa_cases/matrix/matrix.hpp"
#include "tosa_cases/networks.hpp"

namespace slipway::lower {
namespace {

using ::testing::IsEmpty;
using testing::NamedOptions;
using tosa_cases::OperatorCase;

class KernelRules : public ::testing::TestWithParam<NamedOptions> {
 protected:
  void run(std::string_view name, const tosa::Graph& graph, std::span<const tosa_cases::Tensor> inputs) {
    SCOPED_TRACE(name);
    const auto program = lower_graph(graph, options_);
    ASSERT_TRUE(program) << format_diagnostics(program.error());
    for (const ProgramKernel& kernel : program->kernels) EXPECT_THAT(testing::divergences(kernel), IsEmpty());
    std::vector<std::vector<std::byte>> memory;
    for (const tosa_cases::Tensor& input : inputs) memory.push_back(input.to_bytes());
    const DeviceFacts& device = options_.device;
    const auto result = testing::interpret(graph, *program, std::vector<Bytes>(memory.begin(), memory.end()),
                                           device.lanes ? device.lanes : device.subgroup_size);
    for (const testing::KernelFinding& finding : result.findings)
      ADD_FAILURE() << finding.text << "\n" << print_program(graph, *program);
  }

  const LowerOptions& options_ = GetParam().options;
};

TEST_P(KernelRules, Operators) {
  const std::size_t of_each = testing::whole_suite() ? 40 : 4;
  std::map<tosa::Op, std::vector<std::size_t>> configurations;
  for (std::size_t i = 0; i < tosa_cases::matrix().size(); ++i) configurations[tosa_cases::matrix()[i].op].push_back(i);
  for (const auto& [op, all] : configurations) {
    const std::size_t count = std::min(all.size(), of_each);
    std::vector<OperatorCase> cases;
    for (std::size_t i = 0; i < count; ++i) {
      Diagnostics refused;
      if (auto made = tosa_cases::case_of(all[i * all.size() / count],
                                          i % 2 ? tosa_cases::Pattern::Random : tosa_cases::Pattern::Random2, refused))
        cases.push_back(std::move(*made));
    }
    tosa_cases::Batch batch;
    for (const OperatorCase& each : cases) batch.add(each);
    run(tosa::name_of(op), batch.graph(), batch.inputs());
  }
}

TEST_P(KernelRules, BlocksOfModels) {
  const std::vector<tosa_cases::NamedGraph> graphs = tosa_cases::model_graphs();
  const std::size_t step = testing::whole_suite() ? 1 : 5;
  for (std::size_t i = 0; i < graphs.size(); i += step)
    run(graphs[i].name, graphs[i].builder.graph, graphs[i].builder.inputs());
}

// Also linked kernels without matrices, and those for drivers of CPUs.
std::vector<NamedOptions> all_options() {
  std::vector<NamedOptions> all = testing::options_of_all_kinds();
  all.push_back({"gpu-linked", {.device = testing::gpu_facts()}});
  all.back().options.device.starts_in_order = true;
  all.push_back({"cpu-driver", {.device = testing::cpu_facts()}});
  return all;
}

INSTANTIATE_TEST_SUITE_P(Facts, KernelRules, ::testing::ValuesIn(all_options()), [](const auto& facts) {
  std::string name = facts.param.name;
  std::erase_if(name, [](char c) { return !std::isalnum(static_cast<unsigned char>(c)); });
  return name;
});

// The same module without one of its barriers of a workgroup or a subgroup.
std::vector<spirv::Words> without_a_barrier(const spirv::Words& words) {
  constexpr std::uint32_t kControlBarrier = 224, kWords = 4;
  std::vector<spirv::Words> all;
  for (std::size_t at = spirv::kHeaderWords; at < words.size(); at += words[at] >> 16) {
    if ((words[at] & 0xffff) != kControlBarrier) continue;
    spirv::Words& less = all.emplace_back(words);
    less.erase(less.begin() + static_cast<std::ptrdiff_t>(at), less.begin() + static_cast<std::ptrdiff_t>(at + kWords));
  }
  return all;
}

// A graph whose kernel uses shared memory in several rounds, and the count of its barriers that others make
// unnecessary.
struct LongGraph {
  std::string text;
  std::size_t spare = 0;
};
std::vector<LongGraph> long_graphs() {
  // The sums of a row are joined with a barrier before and after; in other places there are further ones.
  std::vector<LongGraph> graphs = {
      {"%0 = input f32[1, 40, 24]\n%1 = input f32[1, 24, 200]\n%2 = input f32[1, 200, 24]\n"
       "%3 = MATMUL(%0, %1) f32[1, 40, 200] A_zp=0 B_zp=0\n%4 = REDUCE_MAX(%3) f32[1, 40, 1] axis=2 "
       "nan_mode=PROPAGATE\n"
       "%5 = SUB(%3, %4) f32[1, 40, 200]\n%6 = EXP(%5) f32[1, 40, 200]\n%7 = REDUCE_SUM(%6) f32[1, 40, 1] axis=2\n"
       "%8 = RECIPROCAL(%7) f32[1, 40, 1]\n%9 = MUL(%6, %8) f32[1, 40, 200] shift=0\n"
       "%10 = MATMUL(%9, %2) f32[1, 40, 24] A_zp=0 B_zp=0\noutput %10\n",
       2}};
  for (const std::string_view type : {"f32", "f16"}) {
    graphs.push_back(
        {formatted("%0 = input {0}[1, 70, 300]\n%1 = input {0}[1, 300, 72]\n"
                   "%2 = MATMUL(%0, %1) {0}[1, 70, 72] A_zp=0 B_zp=0\noutput %2\n",
                   type)});
    graphs.push_back(
        {formatted("%0 = input {0}[1, 5000]\n%1 = REDUCE_SUM(%0) {0}[1, 1] axis=1\n"
                   "%2 = SUB(%0, %1) {0}[1, 5000]\noutput %2\n",
                   type)});
  }
  return graphs;
}

// Random floats in an input of a graph.
std::vector<std::byte> numbers_of(const tosa::TensorType& type, std::minstd_rand& random) {
  const tensor::ElementType element = tosa::storage_of(type.data);
  std::vector<std::byte> bytes(tensor::byte_count(type.shape, element).value());
  for (std::size_t at = 0; at < bytes.size(); at += tensor::size_of(element))
    tensor::store_rounded(element, static_cast<double>(random() % 1000) / 500 - 1, &bytes[at]);
  return bytes;
}

// The interpreter finds each barrier of real kernels that is left out.
TEST(KernelBarriers, AreMissedWhereTheyAreLeftOut) {
  std::size_t left_out = 0;
  for (const DeviceFacts& device : {testing::gpu_facts(), testing::matrix_gpu_facts()}) {
    for (const LongGraph& each : long_graphs()) {
      const tosa::Graph graph = graph_of(each.text);
      std::minstd_rand random(5);
      std::vector<std::vector<std::byte>> memory;
      for (const tosa::ValueId input : graph.inputs) memory.push_back(numbers_of(graph[input].type, random));
      const std::vector<Bytes> inputs(memory.begin(), memory.end());
      KernelProgram program = lower_graph(graph, {.device = device}).value();
      std::size_t unnoticed = 0;
      for (ProgramKernel& kernel : program.kernels) {
        const auto whole = kernel.spirv;
        for (spirv::Words& words : without_a_barrier(*whole)) {
          kernel.spirv = std::make_shared<const spirv::Words>(std::move(words));
          unnoticed += testing::interpret(graph, program, inputs, device.subgroup_size).findings.empty();
          ++left_out;
        }
        kernel.spirv = whole;
      }
      EXPECT_EQ(unnoticed, each.spare) << print_program(graph, program);
    }
  }
  EXPECT_GT(left_out, 30u);
}

}  // namespace
}  // namespace slipway::lower
