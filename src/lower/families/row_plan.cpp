// Which operators make a row program.
#include <algorithm>
#include <array>
#include <map>
#include <ranges>
#include <set>

#include "lower/families/rows.hpp"
#include "lower/fusion.hpp"
#include "lower/operators/reduce.hpp"

namespace slipway::lower {
namespace {

using tosa::Node;
using tosa::Op;
using tosa::ValueId;

Rows rows_of(const tosa::Graph& graph, const Node& reduction) {
  return {graph[reduction.inputs[0]].type.shape, static_cast<std::size_t>(reduction.attributes.integer("axis"))};
}

// Whether an operator may be part of a program of these rows.
bool fits(const tosa::Graph& graph, const Node& node, const Rows& rows) {
  if (is_reduction(node.op)) return rows_of(graph, node) == rows;
  if (!is_pointwise(node.op)) return false;
  const tensor::Shape& shape = graph[node.outputs[0]].type.shape;
  return rows.is_whole(shape) || rows.is_reduced(shape);
}

// What a node computes on the way, by the numbers of nodes; false where a row program has no place for something.
bool collect(const tosa::Graph& graph, const std::vector<bool>& stored, const Node& node,
             std::set<std::uint32_t>& nodes) {
  if (!is_pointwise(node.op) && !is_reduction(node.op)) return false;
  if (!nodes.insert(graph[node.outputs[0]].source).second) return true;
  const std::size_t at_the_same_place = is_reduction(node.op) ? 1 : elementwise_inputs(node);
  for (std::size_t i = 0; i < node.inputs.size(); ++i) {
    const Node* producer = graph.producer(node.inputs[i]);
    // A view is of something stored.
    if (stored[index(node.inputs[i])] || is_view(producer->op)) continue;
    if (i >= at_the_same_place || !collect(graph, stored, *producer, nodes)) return false;
  }
  return true;
}

}  // namespace

std::optional<RowProgram> row_program_of(const tosa::Graph& graph, const std::vector<bool>& stored, const Node& node) {
  std::set<std::uint32_t> numbers;
  if (!collect(graph, stored, node, numbers)) return std::nullopt;
  RowProgram program;
  for (const std::uint32_t number : numbers) program.nodes.push_back(&graph.nodes[number]);
  const auto reduction = std::ranges::find_if(program.nodes, [](const Node* one) { return is_reduction(one->op); });
  if (reduction == program.nodes.end()) return std::nullopt;
  program.rows = rows_of(graph, **reduction);
  const bool all_fit =
      std::ranges::all_of(program.nodes, [&](const Node* one) { return fits(graph, *one, program.rows); });
  return all_fit ? std::optional(std::move(program)) : std::nullopt;
}

// --- planning ---

namespace {

// A program in the making: nodes by their numbers, each with the passes along a row that need its elements. A pass is
// known by the node that it is made for: a reduction, or the node that stores whole rows.
using Passes = std::set<std::uint32_t>;
using Program = std::map<std::uint32_t, Passes>;

bool is_slow(Op op) {
  constexpr std::array kSlow = {Op::COS,        Op::ERF,   Op::EXP,     Op::LOG, Op::POW,
                                Op::RECIPROCAL, Op::RSQRT, Op::SIGMOID, Op::SIN, Op::TANH};
  return std::ranges::contains(kSlow, op);
}

// Grows programs, from the operator that stores a result towards what it reads.
class Grower {
 public:
  Grower(const tosa::Graph& graph, const DeviceFacts& device, const Uses& uses, const std::vector<bool>& windows)
      : graph_(graph), is_processor_(device.lanes != 0), uses_(uses), windows_(windows) {}

  // The largest program of these rows that ends with this node.
  Program grow(std::uint32_t last, const Rows& rows, const RowGrid& grid) const {
    Program program = {{last, is_whole(last, rows) ? Passes{last} : Passes{}}};
    std::set<std::uint32_t> candidates = producers(last);
    // All readers of a candidate have been looked at before it.
    while (!candidates.empty()) {
      const std::uint32_t candidate = *candidates.rbegin();
      candidates.erase(candidate);
      if (!may_join(candidate, rows, program)) continue;
      Passes passes = is_whole(candidate, rows) ? passes_of_readers(candidate, program) : Passes{};
      // Processors compute it slower than they would read it again.
      if (is_processor_ && !grid.in_registers && passes.size() > 1 && is_slow(graph_.nodes[candidate].op)) continue;
      program.emplace(candidate, std::move(passes));
      if (within_limits(program, grid))
        candidates.merge(producers(candidate));
      else
        program.erase(candidate);
    }
    return program;
  }

 private:
  ValueId result_of(std::uint32_t node) const { return graph_.nodes[node].outputs[0]; }
  bool is_whole(std::uint32_t node, const Rows& rows) const {
    return rows.is_whole(graph_[result_of(node)].type.shape);
  }

  std::set<std::uint32_t> producers(std::uint32_t node) const {
    std::set<std::uint32_t> found;
    for (const ValueId input : graph_.nodes[node].inputs) {
      if (graph_.producer(input)) found.insert(graph_[input].source);
    }
    return found;
  }

  // Nobody else reads it.
  bool may_join(std::uint32_t number, const Rows& rows, const Program& program) const {
    const Node& node = graph_.nodes[number];
    if (node.outputs.size() != 1 || !fits(graph_, node, rows)) return false;
    const ValueId value = node.outputs[0];
    if (uses_.is_output[index(value)] || windows_[index(value)]) return false;
    return std::ranges::all_of(uses_.readers[index(value)], [&](std::uint32_t reader) {
      return program.contains(reader) && reads_at_the_same_place(graph_.nodes[reader], value);
    });
  }

  static bool reads_at_the_same_place(const Node& reader, ValueId value) {
    if (is_reduction(reader.op)) return true;
    const auto elsewhere = reader.inputs.begin() + static_cast<std::ptrdiff_t>(elementwise_inputs(reader));
    return std::find(elsewhere, reader.inputs.end(), value) == reader.inputs.end();
  }

  Passes passes_of_readers(std::uint32_t number, const Program& program) const {
    Passes passes;
    for (const std::uint32_t reader : uses_.readers[index(result_of(number))]) {
      if (is_reduction(graph_.nodes[reader].op))
        passes.insert(reader);
      else
        passes.insert_range(program.at(reader));
    }
    return passes;
  }

  bool within_limits(const Program& program, const RowGrid& grid) const {
    std::set<ValueId> read;
    std::size_t computed = 0;
    for (const auto& [number, passes] : program) {
      for (const ValueId input : graph_.nodes[number].inputs) {
        if (!graph_.producer(input) || !program.contains(graph_[input].source)) read.insert(input);
      }
      // In registers everything is computed once, elsewhere in each pass that needs it.
      computed += grid.in_registers ? 1 : std::max<std::size_t>(passes.size(), 1);
    }
    constexpr std::size_t kMaxCode = 512;  // straight code for each element of an invocation
    const bool is_short = !grid.in_registers || computed * static_cast<std::size_t>(grid.steps) <= kMaxCode;
    return computed <= kMaxNodes && is_short && read.size() + 2 <= kMaxAddresses;
  }

  const tosa::Graph& graph_;
  const bool is_processor_;
  const Uses& uses_;
  const std::vector<bool>& windows_;
};

struct Candidate {
  Rows rows;
  RowGrid grid;
};

// Kinds of rows along which the graph has reductions.
std::vector<Candidate> candidates_of(const tosa::Graph& graph, const DeviceFacts& device) {
  std::vector<Candidate> candidates;
  for (const Node& node : graph.nodes) {
    if (!is_reduction(node.op)) continue;
    const Rows rows = rows_of(graph, node);
    if (std::ranges::contains(candidates, rows, &Candidate::rows)) continue;
    if (const auto grid = row_grid(rows, device)) candidates.push_back({rows, *grid});
  }
  return candidates;
}

}  // namespace

void plan_rows(const tosa::Graph& graph, const DeviceFacts& device, const Uses& uses, const std::vector<bool>& windows,
               std::vector<bool>& stored) {
  const std::vector<Candidate> candidates = candidates_of(graph, device);
  if (candidates.empty()) return;
  const Grower grower(graph, device, uses, windows);
  const auto reduces = [&](std::uint32_t number) { return is_reduction(graph.nodes[number].op); };
  std::vector<bool> joined(graph.nodes.size(), false);
  for (auto number = static_cast<std::uint32_t>(graph.nodes.size()); number-- > 0;) {
    const Node& node = graph.nodes[number];
    if (node.outputs.size() != 1 || windows[index(node.outputs[0])] || joined[number]) continue;
    // A pointwise operator that is not stored is part of its reader's kernel; a reduction is better one of its own.
    if (!stored[index(node.outputs[0])] && !reduces(number)) continue;
    Program program;
    for (const auto& [rows, grid] : candidates) {
      if (!fits(graph, node, rows)) continue;
      Program grown = grower.grow(number, rows, grid);
      if (std::ranges::any_of(grown | std::views::keys, reduces) && grown.size() > program.size())
        program = std::move(grown);
    }
    for (const std::uint32_t part : program | std::views::keys) {
      joined[part] = true;
      stored[index(graph.nodes[part].outputs[0])] = part == number;
      for (const ValueId input : graph.nodes[part].inputs) {
        const Node* producer = graph.producer(input);
        if (producer && !is_view(producer->op) && !program.contains(graph[input].source)) stored[index(input)] = true;
      }
    }
  }
}

}  // namespace slipway::lower
