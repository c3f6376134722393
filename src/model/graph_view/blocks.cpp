// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "model/graph_view/blocks.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <utility>

#include "base/format.hpp"

namespace slipway::model {
namespace {

constexpr std::size_t kMinOperators = 3;  // of a block
constexpr std::size_t kMinSaved = 6;      // operators that are not shown if all blocks of a kind but one are folded
constexpr std::size_t kMaxKinds = 26;     // each has a letter
constexpr std::size_t kMaxCells = 64;     // of a block

// Cells [begin, end).
struct CellRange {
  std::size_t begin = 0, end = 0;
};

// The blocks of the operators in one cluster, or of those in none.
class BlockFinder {
 public:
  BlockFinder(const Diagram& diagram, std::uint32_t container) : diagram_(diagram), container_(container) {
    position_.assign(diagram.nodes.size(), kOutside);
    for (std::uint32_t i = 0; i < diagram.nodes.size(); ++i) {
      const DiagramKind kind = diagram.nodes[i].kind;
      if ((kind != DiagramKind::Operator && kind != DiagramKind::Shader) || !is_inside(diagram.nodes[i].cluster))
        continue;
      position_[i] = operators_.size();
      operators_.push_back(i);
    }
  }

  // By kind of block: the operators of each of its blocks.
  std::vector<std::vector<std::vector<std::uint32_t>>> run(std::size_t max_kinds) {
    std::vector<std::vector<std::vector<std::uint32_t>>> kinds;
    if (operators_.size() < 2 * kMinOperators) return kinds;
    divide();
    while (kinds.size() < max_kinds) {
      const std::vector<CellRange> best = best_repeat();
      if (best.empty()) break;
      std::vector<std::vector<std::uint32_t>>& blocks = kinds.emplace_back();
      for (const CellRange& range : best) {
        blocks.emplace_back(operators_.begin() + static_cast<std::ptrdiff_t>(cells_[range.begin].begin),
                            operators_.begin() + static_cast<std::ptrdiff_t>(cells_[range.end - 1].end));
        // No later block contains these cells: each is the only one with its signature.
        for (std::size_t c = range.begin; c < range.end; ++c) signatures_[c] = next_signature_++;
      }
    }
    return kinds;
  }

 private:
  static constexpr std::size_t kOutside = SIZE_MAX;

  bool is_inside(std::uint32_t cluster) const {
    while (cluster != container_ && cluster != kNoCluster) cluster = diagram_.clusters[cluster].parent;
    return cluster == container_;
  }

  // The cluster directly in the container that has a node; kNoCluster: the node is in none.
  std::uint32_t outermost(std::uint32_t node) const {
    std::uint32_t cluster = diagram_.nodes[node].cluster, found = kNoCluster;
    for (; cluster != container_; cluster = diagram_.clusters[cluster].parent) found = cluster;
    return found;
  }

  // Finds the cells and their signatures.
  void divide() {
    const std::size_t count = operators_.size();
    // Values and clusters over each point between two operators. A cluster counts twice, so that it is not divided.
    std::vector<std::ptrdiff_t> over(count + 1, 0);
    const auto add = [&](std::size_t first, std::size_t last, std::ptrdiff_t weight) {
      over[first] += weight;
      over[last] -= weight;
    };
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::size_t> last_uses;  // of values
    for (const DiagramEdge& edge : diagram_.edges) {
      if (position_[edge.from] == kOutside || diagram_.nodes[edge.to].kind == DiagramKind::Output) continue;
      std::size_t& last = last_uses[{edge.from, edge.result}];
      last = std::max(last, position_[edge.to] == kOutside ? count : position_[edge.to]);
    }
    for (const auto& [value, last] : last_uses) {
      if (last > position_[value.first]) add(position_[value.first], last, 1);
    }
    std::map<std::uint32_t, std::pair<std::size_t, std::size_t>> clusters;
    for (std::size_t i = 0; i < count; ++i) {
      const std::uint32_t cluster = outermost(operators_[i]);
      if (cluster == kNoCluster) continue;
      clusters.try_emplace(cluster, i, i).first->second.second = i;
    }
    for (const auto& [cluster, range] : clusters) add(range.first, range.second, 2);
    std::ptrdiff_t now = 0;
    std::size_t begin = 0;
    for (std::size_t i = 0; i < count; ++i) {
      now += over[i];
      if (now > 1 && i + 1 < count) continue;
      cells_.push_back({begin, i + 1});
      begin = i + 1;
    }
    std::map<std::string, std::size_t> known;
    const std::vector<std::string> inputs = input_texts();
    for (const CellRange& cell : cells_) {
      std::string text;
      for (std::size_t i = cell.begin; i < cell.end; ++i)
        text += diagram_.nodes[operators_[i]].title + inputs[i] + "\n";
      signatures_.push_back(known.try_emplace(text, known.size()).first->second);
    }
    next_signature_ = known.size();
  }

  // By operator: how far before it its operands are.
  std::vector<std::string> input_texts() const {
    std::vector<std::string> texts(operators_.size());
    for (const DiagramEdge& edge : diagram_.edges) {
      const std::size_t to = position_[edge.to], from = position_[edge.from];
      if (to == kOutside) continue;
      texts[to] += from == kOutside || from > to ? " x" : formatted(" {}", to - from);
    }
    return texts;
  }

  std::size_t operators_in(const CellRange& cells) const {
    return cells_[cells.end - 1].end - cells_[cells.begin].begin;
  }

  // The occurrences of the sequence that saves the most operators; empty if none saves enough.
  std::vector<CellRange> best_repeat() const {
    std::vector<CellRange> best;
    std::size_t saved = kMinSaved - 1;
    const std::size_t count = cells_.size();
    for (std::size_t length = 1; length <= std::min(kMaxCells, count / 2); ++length) {
      std::map<std::vector<std::size_t>, std::vector<CellRange>> found;
      for (std::size_t i = 0; i + length <= count; ++i) {
        const auto begin = signatures_.begin() + static_cast<std::ptrdiff_t>(i);
        std::vector<CellRange>& ranges = found[{begin, begin + static_cast<std::ptrdiff_t>(length)}];
        if (ranges.empty() || ranges.back().end <= i) ranges.push_back({i, i + length});
      }
      for (auto& [signature, ranges] : found) {
        const std::size_t each = operators_in(ranges.front());
        const std::size_t saves = (ranges.size() - 1) * each;
        const bool is_better = saves > saved || (saves == saved && !best.empty() && ranges[0].begin < best[0].begin);
        if (each < kMinOperators || !is_better) continue;
        saved = saves;
        best = std::move(ranges);
      }
    }
    return best;
  }

  const Diagram& diagram_;
  std::uint32_t container_;
  std::vector<std::uint32_t> operators_;  // nodes
  std::vector<std::size_t> position_;     // by node: among the operators
  std::vector<CellRange> cells_;          // ranges of operators
  std::vector<std::size_t> signatures_;   // by cell
  std::size_t next_signature_ = 0;
};

std::optional<DiagramTime> sum_of_times(const Diagram& diagram, std::uint32_t cluster) {
  std::optional<DiagramTime> sum;
  const auto add = [&](const std::optional<DiagramTime>& time) {
    if (!time) return;
    if (!sum) sum.emplace();
    sum->milliseconds += time->milliseconds;
    sum->share += time->share;
  };
  for (const DiagramNode& node : diagram.nodes) {
    if (node.cluster == cluster) add(node.time);
  }
  for (const DiagramCluster& inner : diagram.clusters) {
    if (inner.parent == cluster) add(inner.time);
  }
  return sum;
}

// Parents before their children.
void sort_clusters(Diagram& diagram) {
  const auto depth = [&](std::uint32_t cluster) {
    std::size_t levels = 0;
    for (; cluster != kNoCluster; cluster = diagram.clusters[cluster].parent) ++levels;
    return levels;
  };
  std::vector<std::uint32_t> order(diagram.clusters.size());
  std::iota(order.begin(), order.end(), 0u);
  std::ranges::stable_sort(order, {}, depth);
  std::vector<std::uint32_t> index(order.size());
  std::vector<DiagramCluster> sorted;
  for (std::uint32_t i = 0; i < order.size(); ++i) {
    index[order[i]] = i;
    sorted.push_back(std::move(diagram.clusters[order[i]]));
  }
  const auto renumber = [&](std::uint32_t& cluster) {
    if (cluster != kNoCluster) cluster = index[cluster];
  };
  for (DiagramCluster& cluster : sorted) renumber(cluster.parent);
  for (DiagramNode& node : diagram.nodes) renumber(node.cluster);
  diagram.clusters = std::move(sorted);
}

}  // namespace

void group_blocks(Diagram& diagram) {
  const auto clusters = static_cast<std::uint32_t>(diagram.clusters.size());
  std::vector<std::uint32_t> containers(clusters);
  std::iota(containers.begin(), containers.end(), 0u);
  containers.push_back(kNoCluster);
  // A block is in the innermost cluster that it fits in; operators that have a block already are not in another one.
  std::vector<bool> has_block(diagram.nodes.size(), false);
  std::uint32_t kinds = 0;
  for (const std::uint32_t container : containers) {
    const auto found = BlockFinder(diagram, container).run(kMaxKinds - kinds);
    for (const std::vector<std::vector<std::uint32_t>>& blocks : found) {
      const auto is_taken = [&](const auto& block) {
        return std::ranges::any_of(block, [&](std::uint32_t node) { return has_block[node]; });
      };
      if (std::ranges::any_of(blocks, is_taken)) continue;
      const char letter = static_cast<char>('A' + kinds++);
      for (std::size_t i = 0; i < blocks.size(); ++i) {
        const auto made = static_cast<std::uint32_t>(diagram.clusters.size());
        diagram.clusters.push_back({.title = formatted("block {}, {} of {}", letter, i + 1, blocks.size()),
                                    .details = formatted("{} operators", blocks[i].size()),
                                    .parent = container,
                                    .time = {},
                                    .block = DiagramBlock{kinds - 1, static_cast<std::uint32_t>(i)}});
        for (const std::uint32_t node : blocks[i]) {
          has_block[node] = true;
          std::uint32_t* at = &diagram.nodes[node].cluster;
          while (*at != container && *at != made) at = &diagram.clusters[*at].parent;
          *at = made;
        }
        diagram.clusters[made].time = sum_of_times(diagram, made);
      }
    }
  }
  sort_clusters(diagram);
}

}  // namespace slipway::model
