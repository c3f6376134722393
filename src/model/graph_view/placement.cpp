// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "model/graph_view/placement.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <string_view>

namespace slipway::model {
namespace {

double text_width(std::string_view text) {
  // Continuation bytes of UTF-8 have no width.
  const auto letters =
      std::ranges::count_if(text, [](char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; });
  return static_cast<double>(letters) * kLetterWidth;
}

constexpr double kTimeWidth = 20 * kLetterWidth;  // of "00000.000 ms, 00.0 %"

// A value that enters or leaves a cluster: one point on the border for all of its users.
struct Port {
  std::uint32_t node = 0, result = 0;
  auto operator<=>(const Port&) const = default;
};

// A member of a cluster: a node, a cluster or a port.
struct Member {
  enum class Kind : std::uint8_t { Node, Cluster, In, Out } kind;
  std::uint32_t index = 0;  // of the node or cluster
  Port port;
  auto operator<=>(const Member&) const = default;
};

struct Inside {
  std::vector<Member> members;
  std::map<Member, std::uint32_t> number;
  struct Link {
    std::uint32_t from, to;
    Port port;
    auto operator<=>(const Link&) const = default;
  };
  std::vector<Link> links;
  Layered placed;
  std::map<Port, double> in_x, out_x;  // offsets of ports from the left of the cluster
  double width = 0, height = 0;        // of the cluster with its border
};

class Placer {
 public:
  explicit Placer(const Diagram& diagram) : diagram_(diagram), insides_(diagram.clusters.size() + 1) {}

  std::optional<Placement> run() {
    placement_.nodes.resize(diagram_.nodes.size());
    placement_.clusters.resize(diagram_.clusters.size());
    placement_.results.resize(diagram_.nodes.size());
    for (std::uint32_t i = 0; i < diagram_.nodes.size(); ++i) {
      measure(i);
      member(diagram_.nodes[i].cluster, {Member::Kind::Node, i, {}});
    }
    for (std::uint32_t i = 0; i < diagram_.clusters.size(); ++i)
      member(diagram_.clusters[i].parent, {Member::Kind::Cluster, i, {}});
    for (const DiagramEdge& edge : diagram_.edges) route(edge);
    // Parents come before their children, so the last cluster is laid out first, and the whole diagram at the end.
    for (std::size_t i = diagram_.clusters.size(); i-- > 0;) {
      if (!lay_out_inside(i)) return std::nullopt;
    }
    if (!lay_out_inside(diagram_.clusters.size())) return std::nullopt;
    const Inside& whole = insides_.back();
    placement_.width = whole.width;
    placement_.height = whole.height;
    settle(static_cast<std::uint32_t>(insides_.size() - 1), {0, 0});
    return std::move(placement_);
  }

 private:
  // The whole diagram comes after the clusters.
  std::size_t slot(std::uint32_t cluster) const { return cluster == kNoCluster ? diagram_.clusters.size() : cluster; }

  std::uint32_t member(std::uint32_t cluster, const Member& member) {
    Inside& inside = insides_[slot(cluster)];
    const auto [at, is_new] = inside.number.try_emplace(member, static_cast<std::uint32_t>(inside.members.size()));
    if (is_new) inside.members.push_back(member);
    return at->second;
  }

  // The space for the texts of a node. A single result is centred, several are side by side.
  void measure(std::uint32_t index) {
    const DiagramNode& node = diagram_.nodes[index];
    double width = std::max(text_width(node.title), node.time ? kTimeWidth : 0);
    for (const std::string& line : node.lines) width = std::max(width, text_width(line));
    width += 2 * kPadding;
    std::vector<Point>& results = placement_.results[index];
    if (node.results.size() == 1) {
      width = std::max(width, 2 * (text_width(node.results[0]) + kPadding));
      results.push_back({width / 2, 0});
    } else {
      double x = 0;
      for (const std::string& result : node.results) {
        results.push_back({x + kPadding, 0});
        x += text_width(result) + 3 * kPadding;
      }
      width = std::max(width, x);
    }
    const std::size_t lines = 1 + node.lines.size() + (node.time ? 1 : 0);
    placement_.nodes[index] = {{}, width, static_cast<double>(lines) * kLineHeight + kPadding};
  }

  // The clusters around a node from the innermost on.
  std::vector<std::uint32_t> around(std::uint32_t node) const {
    std::vector<std::uint32_t> clusters;
    for (std::uint32_t c = diagram_.nodes[node].cluster; c != kNoCluster; c = diagram_.clusters[c].parent)
      clusters.push_back(c);
    return clusters;
  }

  // Out of the clusters around its start, through those around both ends, into the clusters around its end.
  void route(const DiagramEdge& edge) {
    const Port port{edge.from, edge.result};
    std::vector<std::uint32_t> out = around(edge.from), in = around(edge.to);
    while (!out.empty() && !in.empty() && out.back() == in.back()) {
      out.pop_back();
      in.pop_back();
    }
    Member from{Member::Kind::Node, edge.from, {}};
    for (const std::uint32_t cluster : out) {
      link(cluster, from, {Member::Kind::Out, 0, port}, port);
      from = {Member::Kind::Cluster, cluster, {}};
    }
    const std::uint32_t common = !out.empty()  ? diagram_.clusters[out.back()].parent
                                 : !in.empty() ? diagram_.clusters[in.back()].parent
                                               : diagram_.nodes[edge.from].cluster;
    Member to{Member::Kind::Node, edge.to, {}};
    if (!in.empty()) to = {Member::Kind::Cluster, in.back(), {}};
    link(common, from, to, port);
    while (!in.empty()) {
      const std::uint32_t cluster = in.back();
      in.pop_back();
      to = in.empty() ? Member{Member::Kind::Node, edge.to, {}} : Member{Member::Kind::Cluster, in.back(), {}};
      link(cluster, {Member::Kind::In, 0, port}, to, port);
    }
  }

  void link(std::uint32_t cluster, const Member& from, const Member& to, const Port& port) {
    const Inside::Link made{member(cluster, from), member(cluster, to), port};
    std::vector<Inside::Link>& links = insides_[slot(cluster)].links;
    // An operator may take one value twice, and has two links then; clusters and ports take a value once.
    const bool may_repeat = from.kind == Member::Kind::Node && to.kind == Member::Kind::Node;
    if (may_repeat || !known_.contains({cluster, made})) links.push_back(made);
    known_.insert({cluster, made});
  }

  // --- sizes ---

  bool lay_out_inside(std::size_t index) {
    Inside& inside = insides_[index];
    const bool whole = index == diagram_.clusters.size();
    std::vector<LayerBox> boxes;
    for (const Member& member : inside.members) boxes.push_back(box_of(member));
    std::vector<LayerLink> links;
    const std::vector<std::vector<double>> ends = ends_of(inside, boxes);
    std::vector<std::size_t> next_end(inside.members.size(), 0);
    for (const Inside::Link& link : inside.links) {
      links.push_back({link.from, link.to, start_x(inside.members[link.from], link.port),
                       end_x(inside.members[link.to], link.port, ends[link.to], next_end[link.to])});
    }
    std::optional<Layered> placed = lay_out(boxes, links, {.between_boxes = 24, .between_layers = 28});
    if (!placed) return false;
    inside.placed = std::move(*placed);
    double title = 0;
    if (!whole) {
      const DiagramCluster& cluster = diagram_.clusters[index];
      title = std::max(text_width(cluster.title), cluster.time ? kTimeWidth : 0) + 2 * kPadding;
    }
    const double content_width = std::max(inside.placed.width, title);
    // Contents that are narrower than the title are centred.
    const double shift = kPadding + (content_width - inside.placed.width) / 2;
    inside.width = content_width + 2 * kPadding;
    inside.height = inside.placed.height + head_of(index) + kPadding;
    for (std::size_t i = 0; i < inside.members.size(); ++i) {
      inside.placed.boxes[i].x += shift;
      inside.placed.boxes[i].y += head_of(index);
      const Member& member = inside.members[i];
      if (member.kind == Member::Kind::In) inside.in_x[member.port] = inside.placed.boxes[i].x;
      if (member.kind == Member::Kind::Out) inside.out_x[member.port] = inside.placed.boxes[i].x;
    }
    for (std::vector<Point>& points : inside.placed.links) {
      for (Point& point : points) {
        point.x += shift;
        point.y += head_of(index);
      }
    }
    return true;
  }

  // Space above the contents of a cluster, for its title.
  double head_of(std::size_t index) const {
    if (index == diagram_.clusters.size()) return kPadding;
    return kPadding + kLineHeight * (diagram_.clusters[index].time ? 2 : 1) + kPadding;
  }

  // The box of a node includes the texts of its results below it.
  LayerBox box_of(const Member& member) const {
    using enum LayerBox::Place;
    switch (member.kind) {
      case Member::Kind::Node: {
        const PlacedBox& box = placement_.nodes[member.index];
        const double below = diagram_.nodes[member.index].results.empty() ? 0 : kLineHeight;
        return {box.width, box.height + below, Free};
      }
      case Member::Kind::Cluster:
        return {insides_[member.index].width, insides_[member.index].height, Free};
      case Member::Kind::In:
        return {0, 0, Top};
      case Member::Kind::Out:
        return {0, 0, Bottom};
    }
    return {};
  }

  // Where several links end at a node, side by side.
  std::vector<std::vector<double>> ends_of(const Inside& inside, std::span<const LayerBox> boxes) const {
    std::vector<std::size_t> count(inside.members.size(), 0);
    for (const Inside::Link& link : inside.links) ++count[link.to];
    std::vector<std::vector<double>> ends(inside.members.size());
    for (std::size_t i = 0; i < ends.size(); ++i) {
      for (std::size_t k = 0; k < count[i]; ++k)
        ends[i].push_back(boxes[i].width * static_cast<double>(k + 1) / static_cast<double>(count[i] + 1));
    }
    return ends;
  }

  double start_x(const Member& from, const Port& port) const {
    if (from.kind == Member::Kind::Node) return placement_.results[port.node][port.result].x;
    return from.kind == Member::Kind::Cluster ? insides_[from.index].out_x.at(port) : 0;
  }

  double end_x(const Member& to, const Port& port, std::span<const double> ends, std::size_t& next) const {
    if (to.kind == Member::Kind::Node) return ends[next++];
    return to.kind == Member::Kind::Cluster ? insides_[to.index].in_x.at(port) : 0;
  }

  // --- places ---

  void settle(std::uint32_t index, Point at) {
    const Inside& inside = insides_[index];
    for (std::size_t i = 0; i < inside.members.size(); ++i) {
      const Member& member = inside.members[i];
      const Point place{at.x + inside.placed.boxes[i].x, at.y + inside.placed.boxes[i].y};
      if (member.kind == Member::Kind::Node) {
        PlacedBox& box = placement_.nodes[member.index];
        box.at = place;
        for (Point& result : placement_.results[member.index]) result = {place.x + result.x, place.y + box.height};
      } else if (member.kind == Member::Kind::Cluster) {
        const Inside& of = insides_[member.index];
        placement_.clusters[member.index] = {place, of.width, of.height};
        settle(member.index, place);
      }
    }
    for (std::size_t i = 0; i < inside.links.size(); ++i) add_link(index, i, at);
  }

  void add_link(std::uint32_t index, std::size_t i, Point at) {
    const Inside& inside = insides_[index];
    const Inside::Link& link = inside.links[i];
    PlacedLink placed{.from = link.port.node, .result = link.port.result, .points = {}};
    if (index < diagram_.clusters.size()) placed.cluster = index;
    const Member& from = inside.members[link.from];
    const Member& to = inside.members[link.to];
    placed.ends_at_node = to.kind == Member::Kind::Node;
    for (const Point point : inside.placed.links[i]) placed.points.push_back({at.x + point.x, at.y + point.y});
    if (placed.points.empty()) return;  // a node that uses its own value; no graph has one
    // Lines continue to the borders, and through the space for the text to the node.
    if (from.kind == Member::Kind::In) placed.points.insert(placed.points.begin(), {placed.points.front().x, at.y});
    if (from.kind == Member::Kind::Node) {
      const PlacedBox& box = placement_.nodes[from.index];
      placed.points.insert(placed.points.begin(), {placed.points.front().x, box.at.y + box.height});
    }
    if (to.kind == Member::Kind::Out) placed.points.push_back({placed.points.back().x, at.y + inside.height});
    placement_.links.push_back(std::move(placed));
  }

  const Diagram& diagram_;
  std::vector<Inside> insides_;  // of clusters, then of the whole diagram
  std::set<std::pair<std::uint32_t, Inside::Link>> known_;
  Placement placement_;
};

}  // namespace

std::optional<Placement> place_diagram(const Diagram& diagram) { return Placer(diagram).run(); }

}  // namespace slipway::model
