// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "model/graph_view/layers.hpp"
#include "base/format.hpp"

#include <gtest/gtest.h>

#include <random>

namespace slipway::model {
namespace {

struct Box {
  double left, top, right, bottom;
  // With a tolerance for rounding.
  bool overlaps(const Box& other) const {
    constexpr double kRoom = 1e-6;
    return left < other.right - kRoom && other.left < right - kRoom && top < other.bottom - kRoom &&
           other.top < bottom - kRoom;
  }
};

Box rectangle_of(const LayerBox& box, Point at) { return {at.x, at.y, at.x + box.width, at.y + box.height}; }

// Rules of every diagram: boxes do not overlap, links begin and end at their boxes and cross no box.
void check(std::span<const LayerBox> boxes, std::span<const LayerLink> links) {
  const Layered placed = lay_out(boxes, links).value();
  ASSERT_EQ(placed.boxes.size(), boxes.size());
  ASSERT_EQ(placed.links.size(), links.size());
  for (std::size_t i = 0; i < boxes.size(); ++i) {
    const Box box = rectangle_of(boxes[i], placed.boxes[i]);
    EXPECT_GE(box.left, -1e-6);
    EXPECT_LE(box.right, placed.width + 1e-6);
    EXPECT_LE(box.bottom, placed.height + 1e-6);
    for (std::size_t k = 0; k < i; ++k)
      EXPECT_FALSE(box.overlaps(rectangle_of(boxes[k], placed.boxes[k]))) << k << " and " << i;
  }
  for (std::size_t i = 0; i < links.size(); ++i) {
    const LayerLink& link = links[i];
    if (link.from == link.to) continue;
    const std::vector<Point>& points = placed.links[i];
    ASSERT_GE(points.size(), 2u);
    EXPECT_DOUBLE_EQ(points.front().x, placed.boxes[link.from].x + link.from_x);
    EXPECT_DOUBLE_EQ(points.back().x, placed.boxes[link.to].x + link.to_x);
    for (std::size_t p = 1; p < points.size(); ++p) {
      const Box reach{std::min(points[p - 1].x, points[p].x), std::min(points[p - 1].y, points[p].y),
                      std::max(points[p - 1].x, points[p].x), std::max(points[p - 1].y, points[p].y)};
      for (std::size_t k = 0; k < boxes.size(); ++k)
        EXPECT_FALSE(reach.overlaps(rectangle_of(boxes[k], placed.boxes[k])))
            << formatted("link {} ({} to {}) runs through box {}", i, link.from, link.to, k);
    }
  }
}

TEST(Layers, Nothing) { EXPECT_EQ(lay_out({}, {})->width, 0); }

TEST(Layers, AChainIsStraight) {
  const std::vector<LayerBox> boxes(3, {.width = 40, .height = 10});
  const std::vector<LayerLink> links = {{0, 1, 20, 20}, {1, 2, 20, 20}};
  const Layered placed = lay_out(boxes, links, {.between_boxes = 5, .between_layers = 30}).value();
  EXPECT_EQ(placed.width, 40);
  EXPECT_EQ(placed.height, 90);
  EXPECT_EQ(placed.boxes[2].y, 80);
  check(boxes, links);
}

TEST(Layers, ALinkPastABoxGoesBesideIt) {
  const std::vector<LayerBox> boxes(3, {.width = 40, .height = 10});
  const std::vector<LayerLink> links = {{0, 1, 20, 20}, {1, 2, 20, 13}, {0, 2, 20, 26}};
  EXPECT_EQ(lay_out(boxes, links)->links[2].size(), 4u);
  check(boxes, links);
}

TEST(Layers, CrossingsAreAvoided) {
  const std::vector<LayerBox> boxes(4, {.width = 40, .height = 10});
  const std::vector<LayerLink> links = {{0, 3, 20, 20}, {1, 2, 20, 20}};
  const Layered placed = lay_out(boxes, links).value();
  EXPECT_EQ(placed.boxes[0].x < placed.boxes[1].x, placed.boxes[3].x < placed.boxes[2].x);
  check(boxes, links);
}

TEST(Layers, TopAndBottomBoxes) {
  std::vector<LayerBox> boxes(4, {.width = 40, .height = 10});
  boxes[3] = {.width = 4, .height = 0, .place = LayerBox::Place::Bottom};
  const std::vector<LayerLink> links = {{0, 1, 20, 20}, {1, 2, 20, 20}, {0, 3, 20, 2}};
  EXPECT_EQ(lay_out(boxes, links)->boxes[3].y, lay_out(boxes, links)->boxes[2].y);
  check(boxes, links);
}

TEST(Layers, CyclesAndSelfLinksAreTaken) {
  const std::vector<LayerBox> boxes(3, {.width = 40, .height = 10});
  const std::vector<LayerLink> links = {{0, 1, 20, 20}, {1, 2, 20, 20}, {2, 0, 20, 30}, {1, 1, 3, 4}};
  EXPECT_TRUE(lay_out(boxes, links)->links[3].empty());
  check(boxes, links);
}

TEST(Layers, LinksFromOnePointGoTogether) {
  const std::vector<LayerBox> boxes(5, {.width = 40, .height = 10});
  const std::vector<LayerLink> links = {{0, 1, 20, 20}, {1, 2, 20, 20}, {2, 3, 20, 13},
                                        {3, 4, 20, 13}, {0, 3, 20, 26}, {0, 4, 20, 26}};
  const Layered placed = lay_out(boxes, links).value();
  EXPECT_EQ(placed.links[4][3].x, placed.links[5][3].x);
  check(boxes, links);
}

TEST(Layers, TooMuchIsRefused) {
  std::vector<LayerBox> boxes(3000, {.width = 40, .height = 10});
  std::vector<LayerLink> links;
  for (std::uint32_t i = 1; i < boxes.size(); ++i) {
    links.push_back({i - 1, i, 10, 10});
    links.push_back({i - 1, static_cast<std::uint32_t>(boxes.size() - 1), 30, 30});
  }
  EXPECT_FALSE(lay_out(boxes, links));
}

TEST(Layers, RandomGraphsKeepTheRules) {
  std::mt19937 random(1);
  const auto below = [&](std::uint32_t count) { return static_cast<std::uint32_t>(random() % count); };
  for (int round = 0; round < 200; ++round) {
    std::vector<LayerBox> boxes(1 + below(24));
    for (LayerBox& box : boxes) box = {.width = 10.0 + below(100), .height = 5.0 + below(60)};
    std::vector<LayerLink> links(below(40));
    for (LayerLink& link : links) {
      link.from = below(static_cast<std::uint32_t>(boxes.size()));
      link.to = below(static_cast<std::uint32_t>(boxes.size()));
      link.from_x = boxes[link.from].width * 0.25 * (1 + below(3));
      link.to_x = boxes[link.to].width * 0.25 * (1 + below(3));
    }
    SCOPED_TRACE(round);
    check(boxes, links);
    if (HasFailure()) return;
  }
}

}  // namespace
}  // namespace slipway::model
