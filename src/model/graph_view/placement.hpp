// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The positions of everything in a diagram: clusters inside clusters, each laid out in layers.
#pragma once

#include <span>

#include "model/graph_view/diagram.hpp"
#include "model/graph_view/layers.hpp"

namespace slipway::model {

// Of text, in pixels: diagrams use a monospaced font.
inline constexpr double kLetterWidth = 7.25, kLineHeight = 16, kPadding = 8;

struct PlacedBox {
  Point at;  // left, top
  double width = 0, height = 0;
};

// A piece of an edge, inside one cluster: from a node or the cluster's border to another. An edge that leaves clusters
// has several.
struct PlacedLink {
  std::uint32_t from = 0, result = 0;  // the value that it carries
  std::uint32_t cluster = kNoCluster;
  std::vector<Point> points;
  bool ends_at_node = false;  // otherwise at a border
};

struct Placement {
  std::vector<PlacedBox> nodes, clusters;
  std::vector<PlacedLink> links;
  // By node and result: where its links begin. The text of the result is beside that point.
  std::vector<std::vector<Point>> results;
  double width = 0, height = 0;
};

// Empty when there is too much to draw.
std::optional<Placement> place_diagram(const Diagram& diagram);

}  // namespace slipway::model
