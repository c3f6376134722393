// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "convert/segments/partition.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <numeric>

namespace slipway::convert {
namespace {

constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();

class Partitioner {
 public:
  Partitioner(const tosa::Graph& graph, const std::vector<bool>& shaders, bool separate_parts)
      : graph_(graph), shaders_(shaders), parts_(separate_parts ? parts() : std::vector<std::uint32_t>()) {}

  Partitioning run(PartitionOrder order) {
    depths();
    assign(visiting_order(order));
    constants();
    return std::move(result_);
  }

 private:
  // Nodes come after their producers, so one pass finds every depth.
  void depths() {
    result_.depth.assign(graph_.nodes.size(), 0);
    for (std::size_t i = 0; i < graph_.nodes.size(); ++i) {
      for (const tosa::ValueId input : graph_.nodes[i].inputs) {
        if (const auto producer = producer_of(input))
          result_.depth[i] = std::max(result_.depth[i], result_.depth[*producer] + 1);
      }
    }
  }

  std::optional<std::uint32_t> producer_of(tosa::ValueId value) const {
    const tosa::Value& of = graph_[value];
    return of.kind == tosa::ValueKind::Result ? std::optional(of.source) : std::nullopt;
  }

  // A stable counting sort of the nodes by depth.
  std::vector<std::uint32_t> visiting_order(PartitionOrder order) const {
    std::vector<std::uint32_t> nodes(graph_.nodes.size());
    std::iota(nodes.begin(), nodes.end(), 0);
    if (order == PartitionOrder::BreadthFirst)
      std::ranges::stable_sort(nodes, {}, [&](std::uint32_t node) { return result_.depth[node]; });
    return nodes;
  }

  // For each node, the number of its part: a lowest node of those that it is connected with.
  std::vector<std::uint32_t> parts() const {
    std::vector<std::uint32_t> parent(graph_.nodes.size());
    std::iota(parent.begin(), parent.end(), 0);
    const auto root = [&](std::uint32_t node) {
      while (parent[node] != node) node = parent[node] = parent[parent[node]];
      return node;
    };
    std::vector<std::uint32_t> user(graph_.values.size(), kNone);  // a node that is connected with the value
    const auto connect = [&](tosa::ValueId value, std::uint32_t node) {
      if (graph_[value].kind == tosa::ValueKind::Constant) return;
      std::uint32_t& known = user[tosa::index(value)];
      if (known == kNone) known = node;
      const std::uint32_t one = root(known), other = root(node);
      parent[std::max(one, other)] = std::min(one, other);
    };
    for (std::uint32_t node = 0; node < parent.size(); ++node) {
      for (const tosa::ValueId input : graph_.nodes[node].inputs) connect(input, node);
      for (const tosa::ValueId output : graph_.nodes[node].outputs) connect(output, node);
    }
    for (std::uint32_t node = 0; node < parent.size(); ++node) parent[node] = root(node);
    return parent;
  }

  std::uint32_t highest() const { return static_cast<std::uint32_t>(result_.kinds.size()) - 1; }
  // The earliest partition for a graph operator, given the current highest partition.
  std::uint32_t open_partition(std::uint32_t node) const {
    if (!parts_.empty()) {
      const auto last = last_of_part_.find(parts_[node]);
      const bool open = last != last_of_part_.end() && result_.kinds[last->second] == PartitionKind::Graph;
      return open ? last->second : static_cast<std::uint32_t>(result_.kinds.size());
    }
    if (result_.kinds.empty()) return 0;
    return result_.kinds.back() == PartitionKind::Compute ? highest() + 1 : highest();
  }

  void assign(const std::vector<std::uint32_t>& order) {
    result_.of_node.assign(graph_.nodes.size(), 0);
    for (const std::uint32_t node : order) {
      const std::uint32_t to =
          shaders_[node] ? static_cast<std::uint32_t>(result_.kinds.size()) : graph_partition(node);
      result_.of_node[node] = to;
      if (!parts_.empty()) {
        std::uint32_t& last = last_of_part_[parts_[node]];
        last = std::max(last, to);
      }
      if (to == result_.kinds.size())
        result_.kinds.push_back(shaders_[node] ? PartitionKind::Compute : PartitionKind::Graph);
    }
  }

  std::uint32_t graph_partition(std::uint32_t node) const {
    std::optional<std::uint32_t> latest;
    for (const tosa::ValueId input : graph_.nodes[node].inputs) {
      const auto producer = producer_of(input);
      if (!producer) continue;
      std::uint32_t after = result_.of_node[*producer];
      if (shaders_[*producer]) after = std::max(after + 1, open_partition(node));
      latest = std::max(latest.value_or(0), after);
    }
    return latest ? *latest : open_partition(node);
  }

  // --- constants: output at run time by the lowest partition that can ---

  struct Users {
    std::uint32_t graph = kNone, shader = kNone;  // the lowest partition of a user
    bool returned = false;
  };

  void constants() {
    std::vector<Users> users(graph_.constants.size());
    // Partition ids change when a partition is inserted, so users are looked up by node.
    std::vector<std::vector<std::uint32_t>> nodes_of(graph_.constants.size());
    for (std::uint32_t node = 0; node < graph_.nodes.size(); ++node) {
      for (const tosa::ValueId input : graph_.nodes[node].inputs) {
        const tosa::Value& value = graph_[input];
        if (value.kind == tosa::ValueKind::Constant) nodes_of[value.source].push_back(node);
      }
    }
    for (const tosa::ValueId output : graph_.outputs) {
      const tosa::Value& value = graph_[output];
      if (value.kind == tosa::ValueKind::Constant) users[value.source].returned = true;
    }
    result_.of_constant.assign(graph_.constants.size(), std::nullopt);
    for (std::size_t i = 0; i < graph_.constants.size(); ++i) {
      for (const std::uint32_t node : nodes_of[i]) {
        std::uint32_t& lowest = shaders_[node] ? users[i].shader : users[i].graph;
        lowest = std::min(lowest, result_.of_node[node]);
      }
      if (users[i].shader != kNone || users[i].returned) result_.of_constant[i] = location(users[i]);
    }
  }

  std::uint32_t location(const Users& users) {
    if (users.shader != kNone && (users.graph == kNone || users.shader < users.graph)) {
      if (users.shader > 0 && result_.kinds[users.shader - 1] == PartitionKind::Graph) return users.shader - 1;
      insert_graph_partition(users.shader);
      return users.shader;
    }
    if (users.graph != kNone) return users.graph;
    if (result_.kinds.empty() || result_.kinds.back() == PartitionKind::Compute)
      result_.kinds.push_back(PartitionKind::Graph);
    return highest();
  }

  void insert_graph_partition(std::uint32_t at) {
    result_.kinds.insert(result_.kinds.begin() + at, PartitionKind::Graph);
    for (std::uint32_t& partition : result_.of_node) partition += partition >= at;
    for (auto& partition : result_.of_constant) {
      if (partition && *partition >= at) ++*partition;
    }
  }

  const tosa::Graph& graph_;
  const std::vector<bool>& shaders_;
  std::vector<std::uint32_t> parts_;                     // empty: parts are not separated
  std::map<std::uint32_t, std::uint32_t> last_of_part_;  // the last partition of each part
  Partitioning result_;
};

}  // namespace

bool is_shader(const tosa::Node& node) { return node.op == tosa::Op::CUSTOM && node.custom->domain == kShaderDomain; }

Partitioning partition(const tosa::Graph& graph, const std::vector<bool>& shaders, PartitionOrder order,
                       bool separate_parts) {
  return Partitioner(graph, shaders, separate_parts).run(order);
}

}  // namespace slipway::convert
