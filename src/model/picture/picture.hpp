// A model as a picture: operators, what flows between them, and the kernels that run them, as a value that becomes a
// web page or a file for Graphviz.
//
//   Picture picture = picture_of(file, segments);    // of_model.hpp
//   Result<std::string> page = write_html(picture);  // one page that needs nothing else
//   std::string dot = write_dot(picture);
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/diagnostic.hpp"

namespace slipway::model {

inline constexpr std::uint32_t kNoCluster = 0xffffffff;

// How long something took, and how much that is of the whole run.
struct PictureTime {
  double milliseconds = 0, share = 0;
};

enum class PictureKind : std::uint8_t { Input, Output, Constant, Operator, Shader };

struct PictureNode {
  PictureKind kind = PictureKind::Operator;
  std::string title;               // `CONV2D`
  std::vector<std::string> lines;  // what is shown below it
  std::string details;             // what is shown on demand: lines of text
  std::uint32_t cluster = kNoCluster;
  std::vector<std::string> results;  // what is written where each of its values leaves it: a shape
  std::optional<PictureTime> time;
};

// A value from a node to a node that uses it.
struct PictureEdge {
  std::uint32_t from = 0, to = 0;
  std::uint32_t result = 0;  // of `from`
};

// What belongs together: operators of one kernel, kernels of one segment.
struct PictureCluster {
  std::string title, details;
  std::uint32_t parent = kNoCluster;
  std::optional<PictureTime> time;
};

struct Picture {
  std::string title;
  std::vector<std::string> summary;  // lines
  std::vector<PictureNode> nodes;
  std::vector<PictureEdge> edges;
  std::vector<PictureCluster> clusters;  // a parent before those in it
};

// Errors: unsupported, for what is too large to be drawn.
Result<std::string> write_html(const Picture& picture);

std::string write_dot(const Picture& picture);

}  // namespace slipway::model
