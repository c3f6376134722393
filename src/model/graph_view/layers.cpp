// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Longer than most files: the four steps of one method share their tables.
#include "model/graph_view/layers.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <numeric>
#include <ranges>

namespace slipway::model {
namespace {

constexpr std::uint32_t kLane = 0xffffffff;
constexpr double kLaneWidth = 4;
constexpr std::size_t kMaxItems = 500'000;

// A box or the lane of a link in one layer.
struct Item {
  std::uint32_t box = kLane;
  std::uint32_t layer = 0;
  double width = kLaneWidth;
  double x = 0;  // of its left
};

// The part of a link between two layers; `above` and `below` are items.
struct Part {
  std::uint32_t above = 0, below = 0;
  double above_x = 0, below_x = 0;
};

using Lanes = std::vector<std::uint32_t>;  // items, layer by layer

class LayeredLayout {
 public:
  LayeredLayout(std::span<const LayerBox> boxes, std::span<const LayerLink> links, LayerSpacing spacing)
      : boxes_(boxes), links_(links), spacing_(spacing) {}

  std::optional<Layered> run() {
    find_order();
    choose_layers();
    if (!make_lanes()) return std::nullopt;
    order_layers();
    move_sideways();
    return draw();
  }

 private:
  // --- cycles and layers ---

  // A link that closes a cycle runs against the order; it is laid out in the reverse direction.
  void find_order() {
    std::vector<std::vector<std::uint32_t>> next(boxes_.size());
    std::vector<std::uint32_t> waiting(boxes_.size(), 0), ready;
    for (const LayerLink& link : links_) {
      if (link.from == link.to) continue;
      next[link.from].push_back(link.to);
      ++waiting[link.to];
    }
    place_.assign(boxes_.size(), 0);
    std::vector<bool> taken(boxes_.size(), false);
    std::uint32_t first_left = 0;
    for (std::uint32_t i = 0; i < boxes_.size(); ++i) {
      if (waiting[i] == 0) ready.push_back(i);
    }
    std::ranges::reverse(ready);
    for (std::uint32_t count = 0; count < boxes_.size(); ++count) {
      while (!ready.empty() && taken[ready.back()]) ready.pop_back();
      while (first_left < boxes_.size() && taken[first_left]) ++first_left;
      const std::uint32_t box = ready.empty() ? first_left : ready.back();
      taken[box] = true;
      place_[box] = count;
      order_.push_back(box);
      for (const std::uint32_t to : next[box]) {
        if (--waiting[to] == 0 && !taken[to]) ready.push_back(to);
      }
    }
  }

  bool is_reversed(const LayerLink& link) const { return place_[link.from] > place_[link.to]; }
  std::uint32_t upper(const LayerLink& link) const { return is_reversed(link) ? link.to : link.from; }
  std::uint32_t lower(const LayerLink& link) const { return is_reversed(link) ? link.from : link.to; }

  void choose_layers() {
    std::vector<std::vector<std::uint32_t>> above(boxes_.size()), below(boxes_.size());
    for (const LayerLink& link : links_) {
      if (link.from == link.to) continue;
      below[upper(link)].push_back(lower(link));
      above[lower(link)].push_back(upper(link));
    }
    layer_.assign(boxes_.size(), 0);
    for (const std::uint32_t box : order_) {
      for (const std::uint32_t from : above[box]) layer_[box] = std::max(layer_[box], layer_[from] + 1);
    }
    const std::uint32_t last = layer_.empty() ? 0 : std::ranges::max(layer_);
    for (std::uint32_t box = 0; box < boxes_.size(); ++box) {
      if (boxes_[box].place == LayerBox::Place::Bottom) layer_[box] = last;
    }
    // Boxes without incoming links are placed near the boxes that they lead to.
    for (std::uint32_t box = 0; box < boxes_.size(); ++box) {
      if (boxes_[box].place != LayerBox::Place::Free || !above[box].empty() || below[box].empty()) continue;
      std::uint32_t nearest = last;
      for (const std::uint32_t to : below[box]) nearest = std::min(nearest, layer_[to]);
      layer_[box] = nearest - 1;
    }
    layers_.resize(boxes_.empty() ? 0 : last + 1);
  }

  // --- lanes ---

  // Links that begin at one point share their lanes as far as they run together. False when there are too many.
  bool make_lanes() {
    item_of_box_.resize(boxes_.size());
    for (const std::uint32_t box : order_) {
      item_of_box_[box] = add_item({.box = box, .layer = layer_[box], .width = boxes_[box].width});
    }
    lanes_of_.resize(links_.size());
    for (std::size_t i = 0; i < links_.size(); ++i) {
      const LayerLink& link = links_[i];
      if (link.from == link.to) continue;
      const double from_x = is_reversed(link) ? link.to_x : link.from_x;
      const std::uint32_t first = layer_[upper(link)] + 1, end = layer_[lower(link)];
      Lanes& lanes = lanes_[{upper(link), from_x}];
      lanes_of_[i] = &lanes;
      while (lanes.size() < end - first) {
        const std::uint32_t lane = add_item({.layer = first + static_cast<std::uint32_t>(lanes.size())});
        parts_.push_back(part_from(link, lanes, from_x, lane, kLaneWidth / 2));
        lanes.push_back(lane);
        if (items_.size() > kMaxItems) return false;
      }
      parts_.push_back(part_from(link, std::span(lanes).first(end - first), from_x, item_of_box_[lower(link)],
                                 is_reversed(link) ? link.from_x : link.to_x));
    }
    above_.resize(items_.size());
    below_.resize(items_.size());
    for (std::uint32_t i = 0; i < parts_.size(); ++i) {
      below_[parts_[i].above].push_back(i);
      above_[parts_[i].below].push_back(i);
    }
    return true;
  }

  // The next part of a link: from its last lane, or from its box.
  Part part_from(const LayerLink& link, std::span<const std::uint32_t> lanes, double from_x, std::uint32_t to,
                 double to_x) const {
    if (lanes.empty()) return {item_of_box_[upper(link)], to, from_x, to_x};
    return {lanes.back(), to, kLaneWidth / 2, to_x};
  }

  std::uint32_t add_item(Item item) {
    items_.push_back(item);
    const auto index = static_cast<std::uint32_t>(items_.size() - 1);
    layers_[item.layer].push_back(index);
    return index;
  }

  // --- order within layers ---

  void order_layers() {
    constexpr int kSweeps = 16;
    index_.resize(items_.size());
    for (const auto& layer : layers_) set_indices(layer);
    std::vector<std::vector<std::uint32_t>> best = layers_;
    std::uint64_t fewest = crossings();
    for (int sweep = 0; sweep < kSweeps && fewest > 0; ++sweep) {
      const bool down = sweep % 2 == 0;
      for (std::size_t i = 1; i < layers_.size(); ++i) sort_layer(down ? i : layers_.size() - 1 - i, down);
      const std::uint64_t now = crossings();
      if (now >= fewest) continue;
      fewest = now;
      best = layers_;
    }
    layers_ = std::move(best);
    for (const auto& layer : layers_) set_indices(layer);
  }

  void set_indices(const std::vector<std::uint32_t>& layer) {
    for (std::uint32_t i = 0; i < layer.size(); ++i) index_[layer[i]] = i;
  }

  // Where a part ends in the order of a layer: the index of the item, and the position along the item.
  double end_in_order(std::uint32_t item, double x) const {
    return index_[item] + (items_[item].width > 0 ? std::clamp(x / items_[item].width, 0.0, 1.0) * 0.9 : 0);
  }

  // By the median of the neighbours in the layer that was sorted before; items without neighbours keep their positions.
  void sort_layer(std::size_t index, bool down) {
    std::vector<std::uint32_t>& layer = layers_[index];
    std::vector<std::pair<double, std::uint32_t>> middles;
    std::vector<std::size_t> free_places;
    for (std::size_t i = 0; i < layer.size(); ++i) {
      const std::vector<std::uint32_t>& parts = down ? above_[layer[i]] : below_[layer[i]];
      if (parts.empty()) continue;
      double sum = 0;
      for (const std::uint32_t part : parts) {
        sum += down ? end_in_order(parts_[part].above, parts_[part].above_x)
                    : end_in_order(parts_[part].below, parts_[part].below_x);
      }
      middles.emplace_back(sum / static_cast<double>(parts.size()), layer[i]);
      free_places.push_back(i);
    }
    std::ranges::stable_sort(middles, {}, &std::pair<double, std::uint32_t>::first);
    for (std::size_t i = 0; i < middles.size(); ++i) layer[free_places[i]] = middles[i].second;
    set_indices(layer);
  }

  // Parts between two layers cross when their ends are in opposite orders.
  std::uint64_t crossings() const {
    std::uint64_t count = 0;
    for (const std::vector<std::uint32_t>& layer : layers_) {
      std::vector<std::pair<double, double>> ends;
      for (const std::uint32_t item : layer) {
        for (const std::uint32_t part : below_[item]) {
          ends.emplace_back(end_in_order(item, parts_[part].above_x),
                            end_in_order(parts_[part].below, parts_[part].below_x));
        }
      }
      std::ranges::sort(ends);
      std::vector<double> lower_ends;
      for (const auto& [above, below] : ends) lower_ends.push_back(below);
      count += inversions(lower_ends);
    }
    return count;
  }

  static std::uint64_t inversions(std::span<double> values) {
    if (values.size() < 2) return 0;
    const std::size_t half = values.size() / 2;
    std::uint64_t count = inversions(values.first(half)) + inversions(values.subspan(half));
    std::size_t left = 0;
    for (std::size_t right = half; right < values.size(); ++right) {
      while (left < half && values[left] <= values[right]) ++left;
      count += half - left;
    }
    std::ranges::inplace_merge(values, values.begin() + static_cast<std::ptrdiff_t>(half));
    return count;
  }

  // --- sideways ---

  void move_sideways() {
    constexpr int kSweeps = 24;
    for (const auto& layer : layers_) {
      double x = 0;
      for (const std::uint32_t item : layer) {
        items_[item].x = x;
        x += items_[item].width + spacing_.between_boxes;
      }
    }
    for (int sweep = 0; sweep < kSweeps; ++sweep) {
      const bool down = sweep % 2 == 0, both = sweep >= kSweeps / 2;
      for (std::size_t i = 0; i < layers_.size(); ++i)
        settle(layers_[down ? i : layers_.size() - 1 - i], both || down, both || !down);
    }
  }

  // The position that an item would have alone in its layer, and its weight: links should be straight, long ones most.
  std::pair<double, double> wish(std::uint32_t item, bool look_up, bool look_down) const {
    double sum = 0, weight = 0;
    const auto add = [&](std::uint32_t other, double there, double here) {
      const bool lane = items_[item].box == kLane, other_lane = items_[other].box == kLane;
      const double w = lane && other_lane ? 8 : lane || other_lane ? 2 : 1;
      sum += w * (items_[other].x + there - here);
      weight += w;
    };
    if (look_up) {
      for (const std::uint32_t part : above_[item]) add(parts_[part].above, parts_[part].above_x, parts_[part].below_x);
    }
    if (look_down) {
      for (const std::uint32_t part : below_[item]) add(parts_[part].below, parts_[part].below_x, parts_[part].above_x);
    }
    constexpr double kHardly = 0.01;
    return weight > 0 ? std::pair(sum / weight, weight) : std::pair(items_[item].x, kHardly);
  }

  // The positions closest to the desired ones (least squares) that keep order and spacing. Apart from the widths this
  // is monotone regression, where conflicting neighbours are pooled.
  void settle(const std::vector<std::uint32_t>& layer, bool look_up, bool look_down) {
    struct Pool {
      double sum, weight;
      std::size_t count;
      double middle() const { return sum / weight; }
    };
    std::vector<Pool> pools;
    std::vector<double> before;  // the minimum width left of each item
    double used = 0;
    for (const std::uint32_t item : layer) {
      const auto [x, weight] = wish(item, look_up, look_down);
      before.push_back(used);
      pools.push_back({(x - used) * weight, weight, 1});
      used += items_[item].width + spacing_.between_boxes;
      while (pools.size() > 1 && pools[pools.size() - 2].middle() > pools.back().middle()) {
        const Pool last = pools.back();
        pools.pop_back();
        pools.back() = {pools.back().sum + last.sum, pools.back().weight + last.weight,
                        pools.back().count + last.count};
      }
    }
    std::size_t at = 0;
    for (const Pool& pool : pools) {
      for (std::size_t i = 0; i < pool.count; ++i, ++at) items_[layer[at]].x = pool.middle() + before[at];
    }
  }

  // --- result ---

  Layered draw() const {
    Layered placed;
    double left = std::numeric_limits<double>::max(), right = 0;
    for (const Item& item : items_) left = std::min(left, item.x);
    for (const Item& item : items_) right = std::max(right, item.x - left + item.width);
    placed.width = items_.empty() ? 0 : right;
    std::vector<double> top, bottom;  // of layers
    const std::vector<double> gaps = gaps_between_layers();
    double y = 0;
    for (std::size_t i = 0; i < layers_.size(); ++i) {
      double height = 0;
      for (const std::uint32_t item : layers_[i]) {
        if (items_[item].box != kLane) height = std::max(height, boxes_[items_[item].box].height);
      }
      top.push_back(y);
      bottom.push_back(y + height);
      y += height + gaps[i];
    }
    placed.height = bottom.empty() ? 0 : bottom.back();
    placed.boxes.resize(boxes_.size());
    for (std::size_t i = 0; i < boxes_.size(); ++i)
      placed.boxes[i] = {items_[item_of_box_[i]].x - left, top[layer_[i]]};
    for (std::size_t i = 0; i < links_.size(); ++i) {
      const LayerLink& link = links_[i];
      std::vector<Point>& points = placed.links.emplace_back();
      if (link.from == link.to) continue;
      const std::uint32_t from = upper(link), to = lower(link);
      const double from_x = placed.boxes[from].x + (is_reversed(link) ? link.to_x : link.from_x);
      points.push_back({from_x, placed.boxes[from].y + boxes_[from].height});
      if (points.back().y < bottom[layer_[from]]) points.push_back({from_x, bottom[layer_[from]]});
      for (const std::uint32_t lane : std::span(*lanes_of_[i]).first(layer_[to] - layer_[from] - 1)) {
        const double x = items_[lane].x - left + kLaneWidth / 2;
        points.push_back({x, top[items_[lane].layer]});
        points.push_back({x, bottom[items_[lane].layer]});
      }
      points.push_back({placed.boxes[to].x + (is_reversed(link) ? link.from_x : link.to_x), top[layer_[to]]});
      if (is_reversed(link)) std::ranges::reverse(points);
    }
    return placed;
  }

  // The space below each layer. A link that moves far sideways must not become flat.
  std::vector<double> gaps_between_layers() const {
    constexpr double kSteepness = 12, kMax = 3;
    constexpr double kBesideNothing = 0.4;  // next to a layer without height, where links only pass
    const auto has_height = [&](const std::vector<std::uint32_t>& layer) {
      return std::ranges::any_of(
          layer, [&](std::uint32_t i) { return items_[i].box != kLane && boxes_[items_[i].box].height > 0; });
    };
    std::vector<double> gaps(layers_.size(), spacing_.between_layers);
    for (std::size_t i = 0; i + 1 < layers_.size(); ++i) {
      if (!has_height(layers_[i]) || !has_height(layers_[i + 1])) gaps[i] *= kBesideNothing;
    }
    std::vector<double> widest(layers_.size(), 0);
    for (const Part& part : parts_) {
      const Item& above = items_[part.above];
      const double sideways = std::abs(above.x + part.above_x - items_[part.below].x - part.below_x);
      widest[above.layer] = std::max(widest[above.layer], sideways);
    }
    for (std::size_t i = 0; i < layers_.size(); ++i)
      gaps[i] = std::min(gaps[i] + widest[i] / kSteepness, spacing_.between_layers * kMax);
    return gaps;
  }

  std::span<const LayerBox> boxes_;
  std::span<const LayerLink> links_;
  LayerSpacing spacing_;
  std::vector<std::uint32_t> order_, place_;                 // boxes from above to below; the inverse
  std::vector<std::uint32_t> layer_;                         // by box
  std::vector<std::uint32_t> item_of_box_;                   // by box
  std::map<std::pair<std::uint32_t, double>, Lanes> lanes_;  // by the box and the offset where links begin
  std::vector<const Lanes*> lanes_of_;                       // by link; it uses a prefix of them
  std::vector<Item> items_;                                  // boxes and lanes
  std::vector<Part> parts_;                                  // of links
  std::vector<std::vector<std::uint32_t>> above_, below_;    // parts by item
  std::vector<std::vector<std::uint32_t>> layers_;           // items from left to right
  std::vector<std::uint32_t> index_;                         // by item: its index in its layer
};

}  // namespace

std::optional<Layered> lay_out(std::span<const LayerBox> boxes, std::span<const LayerLink> links,
                               LayerSpacing spacing) {
  return LayeredLayout(boxes, links, spacing).run();
}

}  // namespace slipway::model
