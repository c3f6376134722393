// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>
#include <optional>
#include <set>
#include <vector>

#include "base/format.hpp"
#include "cli/reduce/delta.hpp"
#include "cli/reduce/reducer.hpp"
#include "tensor/shape.hpp"
#include "tosa/check/verify.hpp"
#include "tosa/part_of_graph.hpp"

namespace slipway::cli {
namespace {

using tosa::Graph;
using tosa::ValueId;

std::string count_of(std::size_t count, std::string_view what) {
  return formatted("{} {}{}", count, what, count == 1 ? "" : "s");
}

// What the outputs need, where results of these nodes are inputs.
Graph part_without(const Graph& graph, std::span<const ValueId> outputs, const std::vector<bool>& detached = {}) {
  Graph part =
      tosa::part_of_graph(graph, outputs, [&](ValueId value) {
        return !detached.empty() && graph[value].kind == tosa::ValueKind::Result && detached[graph[value].source];
      }).graph;
  part.storage = graph.storage;
  return part;
}

// The first elements of each dimension, packed.
std::vector<std::byte> sliced(Bytes data, const tensor::Shape& from, const tensor::Shape& to, std::size_t size) {
  std::vector<std::byte> result;
  std::vector<std::int64_t> at(to.size(), 0);
  for (const auto count = tensor::element_count(to).value_or(0); result.size() < count * size;) {
    std::size_t index = 0;
    for (std::size_t d = 0; d < to.size(); ++d)
      index = index * static_cast<std::size_t>(from[d]) + static_cast<std::size_t>(at[d]);
    const Bytes element = data.subspan(index * size, size);
    result.insert(result.end(), element.begin(), element.end());
    for (std::size_t d = to.size(); d-- > 0;) {
      if (++at[d] < to[d]) break;
      at[d] = 0;
    }
  }
  return result;
}

class GraphReducer {
 public:
  GraphReducer(Graph graph, const std::function<bool(const Graph&)>& fails, const ReduceNotes& notes)
      : graph_(std::move(graph)), fails_(fails), notes_(notes) {
    Graph checked = graph_;
    Diagnostics problems;
    tosa::verify(checked, problems);
    is_valid_ = !problems.has_errors();
  }

  Graph run() {
    for (std::string before; before != size_of_graph(graph_);) {
      before = size_of_graph(graph_);
      pass("outputs", [&] { fewer_outputs(); });
      pass("end", [&] { earlier_output(); });
      pass("operators", [&] { detach(); });
      pass("operators without effect", [&] { bypass(); });
      pass("constants", [&] { equal_elements(); });
      pass("shapes", [&] { smaller_shapes(); });
    }
    return std::move(graph_);
  }

 private:
  template <class F>
  void pass(std::string_view name, F&& reduce) {
    const std::string before = size_of_graph(graph_);
    reduce();
    if (const std::string now = size_of_graph(graph_); now != before) notes_(name, now);
  }

  // Candidates of a valid graph are valid.
  std::optional<Graph> checked(Graph candidate) const {
    if (candidate.nodes.empty()) return std::nullopt;
    if (!is_valid_) return candidate;
    Diagnostics problems;
    tosa::verify(candidate, problems);
    const bool is_static =
        std::ranges::all_of(candidate.values, [](const tosa::Value& value) { return value.type.is_static(); });
    const bool was_static =
        std::ranges::all_of(graph_.values, [](const tosa::Value& value) { return value.type.is_static(); });
    if (problems.has_errors() || (was_static && !is_static)) return std::nullopt;
    return candidate;
  }

  bool holds(Graph candidate) const {
    const auto valid = checked(std::move(candidate));
    return valid && fails_(*valid);
  }

  bool try_graph(Graph candidate) {
    auto valid = checked(std::move(candidate));
    if (!valid || !fails_(*valid)) return false;
    graph_ = std::move(*valid);
    return true;
  }

  void fewer_outputs() {
    const Graph whole = graph_;
    const auto with = [&](const std::vector<std::size_t>& some) {
      std::vector<ValueId> outputs;
      for (const std::size_t i : some) outputs.push_back(whole.outputs[i]);
      return part_without(whole, outputs);
    };
    const auto kept =
        minimise(whole.outputs.size(), [&](const auto& some) { return !some.empty() && holds(with(some)); });
    if (kept.size() < whole.outputs.size() || part_without(whole, whole.outputs).nodes.size() < whole.nodes.size())
      try_graph(with(kept));
  }

  // The result of an earlier operator as the only output. Steps backwards are halved.
  void earlier_output() {
    for (std::size_t step = graph_.nodes.size() / 2; step > 0; step /= 2) {
      while (graph_.nodes.size() > step) {
        const tosa::Node& node = graph_.nodes[graph_.nodes.size() - 1 - step];
        const std::vector<ValueId> outputs = {node.outputs.front()};
        Graph candidate = part_without(graph_, outputs);
        if (candidate.nodes.size() >= graph_.nodes.size() || !try_graph(std::move(candidate))) break;
      }
    }
  }

  // Results of operators become inputs, and what only they need goes.
  void detach() {
    const Graph whole = graph_;
    const auto with = [&](const std::vector<std::size_t>& kept) {
      std::vector<bool> detached(whole.nodes.size(), true);
      for (const std::size_t i : kept) detached[i] = false;
      return part_without(whole, whole.outputs, detached);
    };
    const auto kept = minimise(whole.nodes.size(), [&](const auto& some) { return holds(with(some)); });
    if (kept.size() < whole.nodes.size()) try_graph(with(kept));
  }

  // An operand of the same type in place of a result.
  void bypass() {
    for (std::size_t n = graph_.nodes.size(); n-- > 0;) {
      if (n >= graph_.nodes.size() || graph_.nodes[n].outputs.size() != 1) continue;
      const ValueId result = graph_.nodes[n].outputs.front();
      const std::vector<ValueId> operands = graph_.nodes[n].inputs;
      for (const ValueId operand : operands) {
        if (graph_[operand].type != graph_[result].type) continue;
        Graph changed = graph_;
        for (tosa::Node& node : changed.nodes) std::ranges::replace(node.inputs, result, operand);
        std::ranges::replace(changed.outputs, result, operand);
        if (std::ranges::any_of(changed.outputs,
                                [&](ValueId output) { return changed[output].kind != tosa::ValueKind::Result; }))
          continue;
        if (try_graph(part_without(changed, changed.outputs))) break;
      }
    }
  }

  // All elements of a constant become the first one.
  void equal_elements() {
    for (std::size_t c = 0; c < graph_.constants.size(); ++c) {
      const tosa::Constant& constant = graph_.constants[c];
      const tosa::TensorType& type = graph_[constant.value].type;
      const std::size_t size = tensor::size_of(tosa::storage_of(type.data));
      if (constant.splat || constant.data.size() <= size) continue;
      Graph changed = graph_;
      changed.constants[c].data = constant.data.first(size);
      changed.constants[c].splat = true;
      try_graph(std::move(changed));
    }
  }

  // Dimensions of inputs and constants with one extent get another one, in shapes of attributes too. Everything else
  // follows from them.
  void smaller_shapes() {
    std::set<std::int64_t, std::greater<>> extents;
    for (const tosa::Value& value : graph_.values) {
      if (value.kind != tosa::ValueKind::Result) extents.insert(value.type.shape.begin(), value.type.shape.end());
    }
    for (const std::int64_t extent : extents) {
      for (std::int64_t now = extent; now > 1;) {
        std::int64_t found = 0;
        for (const std::int64_t to : {std::int64_t{1}, now / 2, now - 1}) {
          if (to < 1 || to >= now || found != 0) continue;
          if (auto candidate = with_extent(now, to); candidate && try_graph(std::move(*candidate))) found = to;
        }
        if (found == 0) break;
        now = found;
      }
      // A dimension of one input, where others have the same extent for another reason.
      for (std::size_t i = 0; i < graph_.inputs.size(); ++i) {
        for (std::size_t d = 0; d < graph_[graph_.inputs[i]].type.shape.size(); ++d) {
          if (graph_[graph_.inputs[i]].type.shape[d] != extent || extent <= 1) continue;
          Graph changed = graph_;
          changed[changed.inputs[i]].type.shape[d] = 1;
          try_graph(with_open_results(std::move(changed)));
        }
      }
    }
  }

  static Graph with_open_results(Graph graph) {
    for (tosa::Value& value : graph.values) {
      if (value.kind == tosa::ValueKind::Result) std::ranges::fill(value.type.shape, tosa::kDynamic);
    }
    return graph;
  }

  std::optional<Graph> with_extent(std::int64_t from, std::int64_t to) const {
    Graph changed = graph_;
    for (const ValueId input : changed.inputs) std::ranges::replace(changed[input].type.shape, from, to);
    for (tosa::Constant& constant : changed.constants) {
      tosa::TensorType& type = changed[constant.value].type;
      const tensor::Shape before = type.shape;
      std::ranges::replace(type.shape, from, to);
      if (constant.splat || type.shape == before) continue;
      const std::size_t size = tensor::size_of(tosa::storage_of(type.data));
      if (constant.data.size() != tensor::element_count(before).value_or(0) * size) return std::nullopt;
      changed.storage.push_back(
          std::make_shared<const std::vector<std::byte>>(sliced(constant.data, before, type.shape, size)));
      constant.data = *changed.storage.back();
    }
    for (tosa::Node& node : changed.nodes) {
      for (const std::string_view name : {"shape", "size"}) {
        if (!node.attributes.has(name)) continue;
        std::vector<std::int64_t> list(std::from_range, node.attributes.list(name));
        std::ranges::replace(list, from, to);
        node.attributes.set(node.attributes.find(name)->name, std::move(list));
      }
    }
    return with_open_results(std::move(changed));
  }

  Graph graph_;
  bool is_valid_ = false;
  const std::function<bool(const Graph&)>& fails_;
  const ReduceNotes& notes_;
};

}  // namespace

Graph reduce_graph(const Graph& graph, const std::function<bool(const Graph&)>& fails, const ReduceNotes& notes) {
  return GraphReducer(graph, fails, notes).run();
}

std::string size_of_graph(const Graph& graph) {
  std::uint64_t elements = 0;
  for (const tosa::Value& value : graph.values) {
    const bool is_splat = value.kind == tosa::ValueKind::Constant && graph.constants[value.source].splat;
    elements += is_splat ? 1 : tensor::element_count(value.type.shape).value_or(0);
  }
  return formatted("{}, {}, {}, {}", count_of(graph.nodes.size(), "operator"), count_of(graph.inputs.size(), "input"),
                   count_of(graph.outputs.size(), "output"), count_of(elements, "element"));
}

}  // namespace slipway::cli
