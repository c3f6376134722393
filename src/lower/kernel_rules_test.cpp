// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The kernels of many graphs for devices of all kinds obey the rules that devices do not check: they run in the
// interpreter without a finding (testing/kernel/interpreter.hpp). What they compute is tested elsewhere.
#include <gmock/gmock.h>

#include <cstdlib>

#include "base/format.hpp"
#include "base/print_diagnostic.hpp"
#include "lower/lower.hpp"
#include "testing/kernel/interpreter.hpp"
#include "testing/tosa/graphs.hpp"
#include "testing/tosa/matrix.hpp"
#include "testing/tosa/networks.hpp"
#include "testing/tosa/suite.hpp"
#include "testing/written_facts.hpp"

namespace slipway::lower {
namespace {

using ::testing::IsEmpty;
using testing::NamedOptions;
using testing::OperatorCase;

class KernelRules : public ::testing::TestWithParam<NamedOptions> {
 protected:
  void run(std::string_view name, const tosa::Graph& graph, std::span<const testing::Tensor> inputs) {
    SCOPED_TRACE(name);
    const auto program = lower_graph(graph, options_);
    ASSERT_TRUE(program) << format_diagnostics(program.error());
    for (const ProgramKernel& kernel : program->kernels) EXPECT_THAT(testing::divergences(kernel), IsEmpty());
    std::vector<std::vector<std::byte>> memory;
    for (const testing::Tensor& input : inputs) memory.push_back(input.to_bytes());
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
  for (std::size_t i = 0; i < testing::matrix().size(); ++i) configurations[testing::matrix()[i].op].push_back(i);
  for (const auto& [op, all] : configurations) {
    const std::size_t count = std::min(all.size(), of_each);
    std::vector<OperatorCase> cases;
    for (std::size_t i = 0; i < count; ++i) {
      Diagnostics refused;
      if (auto made = testing::case_of(all[i * all.size() / count],
                                       i % 2 ? testing::Pattern::Random : testing::Pattern::Random2, refused))
        cases.push_back(std::move(*made));
    }
    testing::Batch batch;
    for (const OperatorCase& each : cases) batch.add(each);
    run(tosa::name_of(op), batch.graph(), batch.inputs());
  }
}

TEST_P(KernelRules, BlocksOfModels) {
  const std::vector<testing::NamedGraph> graphs = testing::model_graphs();
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

}  // namespace
}  // namespace slipway::lower
