// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Places boxes and the links between them in layers, so that links run downwards and do not run through boxes.
//
//   const Layered placed = lay_out(boxes, links);
//   placed.boxes[i]  // left and top of box i
//   placed.links[k]  // the points of link k, from its start below a box to its end above another
//
// The usual method for layered graphs has four steps. Links that close cycles are reversed. Every box goes into the
// layer below those that lead to it, and a link over several layers gets a lane in each of them. Layers are ordered so
// that few links cross. Boxes and lanes move sideways towards their neighbours as far as the order permits. Links are
// vertical beside boxes and move sideways between layers only.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace slipway::model {

struct Point {
  double x = 0, y = 0;
};

struct LayerBox {
  enum class Place : std::uint8_t { Free, Top, Bottom };  // Top, Bottom: in the first or last layer
  double width = 0, height = 0;
  Place place = Place::Free;
};

// `from_x` and `to_x` are where it ends at the boxes, from the left of each.
struct LayerLink {
  std::uint32_t from = 0, to = 0;
  double from_x = 0, to_x = 0;
};

struct LayerSpacing {
  double between_boxes = 20;   // side by side, at least
  double between_layers = 30;  // at least; wider where links move far sideways
};

struct Layered {
  std::vector<Point> boxes;
  std::vector<std::vector<Point>> links;  // empty for a link from a box to itself
  double width = 0, height = 0;
};

// Empty when there are more than half a million boxes and lanes: too many to look at.
std::optional<Layered> lay_out(std::span<const LayerBox> boxes, std::span<const LayerLink> links,
                               LayerSpacing spacing = {});

}  // namespace slipway::model
