// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The suite `graphs`. A row is `models/NAME`, `random/SEEDS` or `views/SEEDS`.
#include <algorithm>
#include <charconv>

#include "base/format.hpp"
#include "conformance/case_runner.hpp"
#include "conformance/suites.hpp"
#include "tosa_cases/graphs.hpp"
#include "tosa_cases/random_graph.hpp"
#include "tosa_cases/random_outputs.hpp"

namespace slipway::conformance {
namespace {

using tosa_cases::GraphBuilder;

constexpr std::string_view kModelRows = "models", kRandomGraphRows = "random", kViewRows = "views";
constexpr std::uint64_t kRandomGraphs = 2048, kRandomSamples = 2, kGraphsOfSample = 4;
constexpr std::uint64_t kViewGraphs = 512, kViewsOfRow = 64, kViewsOfSample = 8;

const std::vector<tosa_cases::NamedGraph>& models() {
  static const std::vector<tosa_cases::NamedGraph> graphs = tosa_cases::model_graphs();
  return graphs;
}

Result<> add(const std::string& name, const GraphBuilder& made, const tosa::Graph& graph, CaseRunner& runner) {
  return runner.add(name, graph, made.inputs(), [&](std::span<const reference::Tensor> results) {
    return made.disagreement(results, graph.outputs);
  });
}

// The graph, and the same graph with every result as an output.
Result<> add_both(const std::string& name, const GraphBuilder& made, CaseRunner& runner) {
  SLIPWAY_TRY_VOID(add(name, made, made.graph, runner));
  tosa::Graph all = made.graph;
  all.outputs.clear();
  all.output_bindings.clear();
  for (std::size_t v = 0; v < all.values.size(); ++v) {
    if (all.values[v].kind == tosa::ValueKind::Result) all.outputs.push_back(static_cast<tosa::ValueId>(v));
  }
  return add(name + ", every result returned", made, all, runner);
}

}  // namespace

std::vector<std::string> graph_rows(Extent extent) {
  std::vector<std::string> rows;
  for (const tosa_cases::NamedGraph& graph : models()) rows.push_back(formatted("{}/{}", kModelRows, graph.name));
  const std::uint64_t step = tosa_cases::kGraphsOfAVocabulary;
  const std::uint64_t vocabularies = extent == Extent::Whole ? kRandomGraphs / step : kRandomSamples;
  for (std::uint64_t i = 0; i < vocabularies; ++i) rows.push_back(formatted("{}/{}", kRandomGraphRows, i * step));
  const std::uint64_t views = extent == Extent::Whole ? kViewGraphs : 1;
  for (std::uint64_t i = 0; i < views; i += kViewsOfRow) rows.push_back(formatted("{}/{}", kViewRows, i));
  return rows;
}

Result<> run_graph_row(SuiteRun& run) {
  SLIPWAY_TRY(model::GraphDevice* const device, run.target.graphs());
  CaseRunner runner(*device, run.request.together, run.outcome);
  const std::size_t slash = run.row.find('/');
  const std::string_view kind = run.row.substr(0, slash), name = run.row.substr(slash + 1);
  if (kind == kModelRows) {
    const auto& made = *std::ranges::find(models(), name, &tosa_cases::NamedGraph::name);
    SLIPWAY_TRY_VOID(add_both(made.name, made.builder, runner));
    for (tosa_cases::OperatorCase& one : made.builder.operators()) SLIPWAY_TRY_VOID(runner.add(std::move(one)));
    return runner.finish();
  }
  std::uint64_t first = 0;
  std::from_chars(name.data(), name.data() + name.size(), first);
  first += run.request.seed;
  const bool whole = run.whole();
  const std::uint64_t count = kind == kRandomGraphRows ? (whole ? tosa_cases::kGraphsOfAVocabulary : kGraphsOfSample)
                                                       : (whole ? kViewsOfRow : kViewsOfSample);
  for (std::uint64_t i = 0; i < count; ++i) {
    if (run.progress) run.progress(i, count);
    const std::string seed = formatted("seed {}", first + i);
    if (kind == kRandomGraphRows) {
      SLIPWAY_TRY_VOID(add_both(seed, tosa_cases::random_graph(first + i), runner));
    } else {
      const GraphBuilder made = tosa_cases::graph_of_views(first + i);
      SLIPWAY_TRY_VOID(add(seed, made, made.graph, runner));
    }
  }
  return runner.finish();
}

}  // namespace slipway::conformance
