// Where everything in a picture is: clusters inside clusters, each laid out in layers.
#pragma once

#include <span>

#include "model/picture/layers.hpp"
#include "model/picture/picture.hpp"

namespace slipway::model {

// Of text: every picture is drawn with letters of one width.
inline constexpr double kLetterWidth = 7.25, kLineHeight = 16, kPadding = 8;

struct PlacedBox {
  Point at;  // left, top
  double width = 0, height = 0;
};

// A piece of an edge, inside one cluster: from a node or the cluster's border to another. An edge that leaves clusters
// has several.
struct PlacedLink {
  std::uint32_t from = 0, result = 0;  // whose value it is
  std::vector<Point> points;
  bool ends_at_node = false;  // else at a border
};

struct Placement {
  std::vector<PlacedBox> nodes, clusters;
  std::vector<PlacedLink> links;
  // By node and result: where its links begin, beside which its text stands.
  std::vector<std::vector<Point>> results;
  double width = 0, height = 0;
};

// Empty when there is too much to draw.
std::optional<Placement> place(const Picture& picture);

}  // namespace slipway::model
