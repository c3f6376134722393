// Whole graphs, made by hand and at random: fused and unfused kernels against the interpreter, every intermediate
// tensor included. SLIPWAY_TOSA_SEED is the first seed, SLIPWAY_TOSA_GRAPHS the number of random graphs.
#include <gtest/gtest.h>

#include "testing/tosa/graphs.hpp"
#include "testing/tosa/kernel_fixture.hpp"
#include "testing/tosa/random_graph.hpp"
#include "testing/tosa/suite.hpp"

namespace slipway::model {
namespace {

using slipway::testing::GraphMaker;
using slipway::testing::number_of;

class WholeGraphTest : public KernelTest {
 protected:
  // Why kernels and interpreter disagree on a graph; empty when they agree.
  std::string disagreement_on(const GraphMaker& maker) {
    const std::vector<Tensor> inputs = maker.inputs();
    std::string why = maker.disagreement(run_kernels(maker.graph, inputs), maker.graph.outputs);
    if (!why.empty()) return "fused: " + why;
    why = maker.disagreement(run_kernels(maker.graph, inputs, false), maker.graph.outputs);
    if (!why.empty()) return "not fused: " + why;
    // Every result as an output, so that none is fused away.
    tosa::Graph all = maker.graph;
    all.outputs.clear();
    for (std::size_t v = 0; v < all.values.size(); ++v) {
      if (all.values[v].kind == tosa::ValueKind::Result) all.outputs.push_back(static_cast<tosa::ValueId>(v));
    }
    why = maker.disagreement(run_kernels(all, inputs), all.outputs);
    return why.empty() ? "" : "every result returned: " + why;
  }
};

TEST_P(WholeGraphTest, GraphsOfModels) {
  const auto graphs = slipway::testing::model_graphs();
  EXPECT_GE(graphs.size(), 60u);
  const std::size_t step = graphs.size() / amount(graphs.size(), 12, 4);
  for (std::size_t i = 0; i < graphs.size(); i += step) {
    const auto& [name, maker] = graphs[i];
    EXPECT_EQ(disagreement_on(maker), "") << name;
    for (OperatorCase made : maker.operators()) check(std::move(made));
  }
  finish();
}

TEST_P(WholeGraphTest, RandomGraphs) {
  const std::uint64_t first = number_of("SLIPWAY_TOSA_SEED", 1),
                      count = number_of("SLIPWAY_TOSA_GRAPHS", amount(2000, 4, 1));
  std::size_t failed = 0, operators = 0;
  for (std::uint64_t seed = first; seed < first + count && failed < 5; ++seed) {
    const GraphMaker maker = slipway::testing::random_graph(seed);
    operators += maker.graph.nodes.size();
    const std::string why = disagreement_on(maker);
    if (why.empty()) continue;
    ++failed;
    ADD_FAILURE() << "seed " << seed << ", " << why;
  }
  EXPECT_GE(operators, 5 * count);
}

SLIPWAY_WITH_ALL_KERNELS(WholeGraphTest);

}  // namespace
}  // namespace slipway::model
