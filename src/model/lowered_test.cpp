// Kernels against the interpreter, on the software device (or on the one that a bundle finds).
#include <gtest/gtest.h>

#include <format>

#include "base/files.hpp"
#include "lower/lower.hpp"
#include "model/device_facts.hpp"
#include "model/plan_graph.hpp"
#include "reference/bounds.hpp"
#include "testing/golden_cases.hpp"
#include "testing/launch_fixture.hpp"
#include "testing/source_folder.hpp"
#include "tosa/text.hpp"
#include "tosa/verify.hpp"

namespace slipway::model {
namespace {

using reference::Tensor;

class LoweredTest : public launch::LaunchTest {
 protected:
  // The graph's outputs, computed by its kernels.
  std::vector<Tensor> run_lowered(const tosa::Graph& graph, std::span<const Tensor> inputs,
                                  const lower::LowerSettings& settings) {
    const auto program = lower::lower_graph(graph, settings);
    if (!program) throw std::runtime_error(program.error()[0].message);
    launch::Plan plan;
    std::vector<launch::ResourceIndex> in, out;
    const auto add = [&](const tosa::TensorType& type, std::vector<std::byte> contents) {
      const std::uint64_t size = tensor::byte_count(type.shape, tosa::storage_of(type.data)).value();
      launch::Resource resource{.name = std::format("r{}", plan.resources.size()),
                                .kind = launch::Buffer{.size = size}};
      if (!contents.empty()) {
        resource.initial.push_back({size, [contents = std::move(contents)](MutableBytes to) -> Result<> {
                                      std::ranges::copy(contents, to.begin());
                                      return {};
                                    }});
      }
      plan.resources.push_back(std::move(resource));
      return static_cast<launch::ResourceIndex>(plan.resources.size() - 1);
    };
    for (std::size_t i = 0; i < graph.inputs.size(); ++i)
      in.push_back(add(graph[graph.inputs[i]].type, inputs[i].to_bytes()));
    std::vector<Tensor> results(graph.outputs.size());
    for (std::size_t i = 0; i < graph.outputs.size(); ++i) {
      const tosa::TensorType type = graph[graph.outputs[i]].type;
      out.push_back(add(type, {}));
      plan.captures.push_back(
          {out.back(), [&results, i, type](Bytes bytes) { results[i] = Tensor::from_bytes(type, bytes); }});
    }
    add_graph(plan, graph, *program, in, out, "g", {});
    run_it(plan);
    return results;
  }

  // Every golden case that kernels can compute, within its bounds.
  void golden_cases(const lower::LowerSettings& settings);
};

void LoweredTest::golden_cases(const lower::LowerSettings& settings) {
  const std::filesystem::path file = slipway::testing::source_folder() / "../shared/data/tosa_cases.json";
  if (!std::filesystem::is_regular_file(file)) GTEST_SKIP() << "no golden cases here";
  const auto document = json::parse(read_source(file).value());
  ASSERT_TRUE(document);
  std::size_t compared = 0;
  for (const json::Value& each : (*document)->root()["cases"]) {
    const auto op = tosa::op_from_name(each["op"].string());
    if (!op || *op == tosa::Op::CUSTOM || !each["inputs"] || each["graph"] || each["expect"].string() != "valid" ||
        !each["legal_1_0"].boolean())
      continue;
    SCOPED_TRACE(each["id"].string());
    auto made = slipway::testing::build(each, tosa::info_of(*op));
    ASSERT_TRUE(made);
    Diagnostics problems;
    tosa::verify(made->graph, problems);
    ASSERT_FALSE(problems.has_errors());
    std::vector<const Tensor*> operands;
    std::vector<Tensor> inputs;
    for (std::size_t i = 0; i < made->inputs.size(); ++i) {
      operands.push_back(&made->inputs[i]);
      if (made->graph[made->graph.nodes[0].inputs[i]].kind == tosa::ValueKind::Input) inputs.push_back(made->inputs[i]);
    }
    const auto wanted = reference::run_node(made->graph, made->graph.nodes[0], operands);
    ASSERT_TRUE(wanted);
    const std::vector<Tensor> given = run_lowered(made->graph, inputs, settings);
    const auto difference = reference::first_difference(
        given, *wanted, reference::bounds(made->graph, made->graph.nodes[0], operands, *wanted));
    EXPECT_FALSE(difference) << std::format("result {} element {} is {} instead of {} (bound {})\n{}",
                                            difference->result, difference->element, difference->test,
                                            difference->reference, difference->bound, tosa::print(made->graph));
    ++compared;
  }
  EXPECT_GT(compared, 380u);
}

TEST_F(LoweredTest, GoldenCasesByPlainKernels) { golden_cases({}); }
TEST_F(LoweredTest, GoldenCasesByKernelsForTheDevice) { golden_cases({.device = device_facts(snapshot())}); }
// A software device computes what a GPU does, only more slowly.
TEST_F(LoweredTest, GoldenCasesByKernelsForGpus) {
  lower::DeviceFacts gpu = device_facts(snapshot());
  gpu.lanes = 0;
  golden_cases({.device = gpu});
}

}  // namespace
}  // namespace slipway::model
