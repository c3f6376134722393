// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "model/tuning/measure_rates.hpp"

#include <algorithm>

#include "launch/run.hpp"
#include "lower/lower.hpp"
#include "model/plan/plan_graph.hpp"
#include "model/plan/tensor_buffer.hpp"

namespace slipway::model {
namespace {

using tosa::DataType;

constexpr std::int64_t kSide = 1024, kCopied = std::int64_t{1} << 24, kDispatches = 256;

tosa::Graph product_graph() {
  tosa::Graph graph;
  const tosa::TensorType type{DataType::F32, {1, kSide, kSide}};
  const tosa::ValueId a = graph.add_input(type), b = graph.add_input(type);
  graph.outputs = {graph.add(tosa::Op::MATMUL, {a, b}, tosa::Attributes({{"A_zp", {0}}, {"B_zp", {0}}}), type)};
  return graph;
}

tosa::Graph chain_graph(std::int64_t elements, std::int64_t length) {
  tosa::Graph graph;
  const tosa::TensorType type{DataType::F32, {elements}};
  tosa::ValueId value = graph.add_input(type);
  for (std::int64_t i = 0; i < length; ++i) value = graph.add(tosa::Op::ABS, {value}, {}, type);
  graph.outputs = {value};
  return graph;
}

class RateMeter {
 public:
  RateMeter(launch::Executor& executor, const lower::DeviceFacts& facts, const Cache& cache)
      : executor_(executor), facts_(facts), cache_(cache) {}

  // The shortest of some runs, in microseconds; empty if the graph does not run here. The device reaches its full clock
  // rate only under load.
  std::optional<double> time_of(const tosa::Graph& graph) {
    const auto program = lower::lower_graph(graph, {.fuse = false, .device = facts_});
    if (!program) return std::nullopt;
    launch::Plan plan;
    std::vector<launch::ResourceIndex> inputs, outputs;
    for (const tosa::ValueId value : graph.inputs)
      inputs.push_back(add_tensor_buffer(plan, "rates", graph[value].type));
    for (const tosa::ValueId value : graph.outputs)
      outputs.push_back(add_tensor_buffer(plan, "rates", graph[value].type));
    add_graph(plan, graph, *program, inputs, outputs, "rates", {});
    if (!executor_.check(plan).empty()) return std::nullopt;
    const auto once = shortest(plan, 1);
    if (!once) return once;
    constexpr double kLoad = 150e3;  // microseconds
    return shortest(plan, static_cast<std::uint32_t>(std::clamp(kLoad / std::max(*once, 1.0), 3.0, 5000.0)));
  }

 private:
  std::optional<double> shortest(const launch::Plan& plan, std::uint32_t repeat) {
    const auto report =
        launch::run(plan, executor_, {.repeat = repeat, .iteration_times = true, .cache = cache_}, Log());
    if (!report || report->profile.iterations.empty()) return std::nullopt;
    double least = 0;
    for (const launch::IterationTime& iteration : report->profile.iterations) {
      const double took = static_cast<double>(iteration.after - iteration.before) * report->profile.period / 1e3;
      if (least == 0 || took < least) least = took;
    }
    return least > 0 ? std::optional(least) : std::nullopt;
  }

  launch::Executor& executor_;
  const lower::DeviceFacts& facts_;
  const Cache& cache_;
};

}  // namespace

lower::Rates rates_of(const MeasuredTimes& times, std::uint32_t multiprocessors) {
  constexpr MeasuredTimes reference;
  // The same work on other multiprocessors.
  const double share = static_cast<double>(kReferenceMultiprocessors) / std::max(multiprocessors, 1u);
  lower::Rates rates;
  rates.further_dispatch *= times.dispatch / reference.dispatch;
  rates.products *= share * reference.product / times.product;
  rates.moved_bytes *= share * reference.copy / times.copy;
  return rates;
}

std::optional<lower::Rates> measure_rates(launch::Executor& executor, const lower::DeviceFacts& facts,
                                          const Cache& cache) {
  if (!facts.addresses || facts.lanes) return std::nullopt;
  RateMeter meter(executor, facts, cache);
  const auto product = meter.time_of(product_graph());
  const auto copy = meter.time_of(chain_graph(kCopied, 1));
  const auto chain = meter.time_of(chain_graph(1, kDispatches));
  if (!product || !copy || !chain) return std::nullopt;
  return rates_of({.product = *product, .copy = *copy, .dispatch = *chain / kDispatches}, facts.multiprocessors);
}

}  // namespace slipway::model
