// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Whole graphs, hand-written and random: fused and unfused kernels against the interpreter, every intermediate
// tensor included. SLIPWAY_TOSA_SEED is the first seed, SLIPWAY_TOSA_GRAPHS the number of random graphs.
#include <gtest/gtest.h>

#include <array>
#include <deque>

#include "base/format.hpp"
#include "testing/tosa/kernel_fixture.hpp"
#include "testing/tosa/suite.hpp"
#include "tosa/text.hpp"
#include "tosa_cases/graphs.hpp"
#include "tosa_cases/random_graph.hpp"
#include "tosa_cases/random_outputs.hpp"

namespace slipway::model {
namespace {

using slipway::testing::number_of;
using slipway::tosa_cases::GraphBuilder;

// A graph, and the same graph with every result as an output, so that every result is stored.
struct Trial {
  std::string name;
  GraphBuilder builder;
  tosa::Graph all = {};
  std::vector<Tensor> inputs = {};
};

class WholeGraphTest : public KernelTest {
 protected:
  // Runs the graphs together, and reports for each where kernels and interpreter differ.
  void compare(std::deque<Trial>& trials) {
    std::vector<Job> jobs;
    for (Trial& trial : trials) {
      const tosa::Graph& graph = trial.builder.graph;
      trial.all = graph;
      trial.all.outputs.clear();
      for (std::size_t v = 0; v < graph.values.size(); ++v) {
        if (graph.values[v].kind == tosa::ValueKind::Result) trial.all.outputs.push_back(static_cast<tosa::ValueId>(v));
      }
      trial.inputs = trial.builder.inputs();
      jobs.push_back({graph, trial.inputs});
      jobs.push_back({graph, trial.inputs, false});
      jobs.push_back({trial.all, trial.inputs});
    }
    const auto results = run_jobs(jobs);
    constexpr std::array kWays = {"fused", "not fused", "every result returned"};
    for (std::size_t i = 0; i < jobs.size(); ++i) {
      const Trial& trial = trials[i / kWays.size()];
      const std::string why = trial.builder.disagreement(results[i], jobs[i].graph.outputs);
      if (why.empty()) continue;
      ADD_FAILURE() << trial.name << ", " << kWays[i % kWays.size()] << ": " << why;
      ++failed_;
      i += kWays.size() - 1 - i % kWays.size();  // the other configurations would report the same
    }
    trials.clear();
  }
  std::size_t failed() const { return failed_; }

 private:
  std::size_t failed_ = 0;
};

TEST_P(WholeGraphTest, GraphsOfModels) {
  const auto graphs = slipway::tosa_cases::model_graphs();
  EXPECT_GE(graphs.size(), 60u);
  const std::size_t step = slipway::testing::whole_suite() ? 1 : graphs.size() / amount(0, 12, 4);
  for (std::size_t i = 0; i < graphs.size(); i += step) {
    if (!slipway::testing::part().has(i)) continue;
    const auto& [name, builder] = graphs[i];
    std::deque<Trial> trials;
    trials.push_back({name, builder});
    compare(trials);
    for (OperatorCase made : builder.operators()) check(std::move(made));
  }
  finish();
}

TEST_P(WholeGraphTest, RandomGraphs) {
  const std::uint64_t first = number_of("SLIPWAY_TOSA_SEED", 1),
                      count =
                          number_of("SLIPWAY_TOSA_GRAPHS", slipway::testing::whole_suite() ? 2000 : amount(0, 8, 4));
  constexpr std::size_t kTogether = 8, kMaxFailures = 5;
  std::size_t tried = 0, operators = 0;
  std::deque<Trial> trials;
  for (std::uint64_t seed = first; seed < first + count && failed() < kMaxFailures; ++seed) {
    // Neighbours share kernels, so they stay together.
    if (!slipway::testing::part().has(seed / slipway::tosa_cases::kGraphsOfAVocabulary)) continue;
    trials.push_back({formatted("seed {}", seed), slipway::tosa_cases::random_graph(seed)});
    ++tried;
    operators += trials.back().builder.graph.nodes.size();
    if (trials.size() == kTogether) compare(trials);
  }
  if (!trials.empty()) compare(trials);
  EXPECT_GE(operators, 5 * tried);
}

// Inputs, constants, results that other operators use, views of these, and one value several times.
TEST_P(WholeGraphTest, OutputsOfAnyValue) {
  const std::uint64_t count = slipway::testing::whole_suite() ? 500 : amount(0, 16, 6);
  std::deque<GraphBuilder> graphs;
  std::deque<std::vector<Tensor>> inputs;
  std::vector<Job> jobs;
  for (std::uint64_t seed = 1000; seed < 1000 + count; ++seed) {
    if (!slipway::testing::part().has(seed)) continue;
    const GraphBuilder& made = graphs.emplace_back(slipway::tosa_cases::graph_of_views(seed));
    inputs.push_back(made.inputs());
    for (const bool fuse : {true, false}) jobs.push_back({made.graph, inputs.back(), fuse});
  }
  const auto results = run_jobs(jobs);
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    EXPECT_EQ(graphs[i / 2].disagreement(results[i], jobs[i].graph.outputs), "") << tosa::print(jobs[i].graph);
  }
}

SLIPWAY_WITH_ALL_KERNELS(WholeGraphTest);

}  // namespace
}  // namespace slipway::model
