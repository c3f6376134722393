// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A model as a diagram: operators, the values between them, and the kernels that run them. It can be written as a web
// page or a file for Graphviz.
//
//   Diagram diagram = build_diagram(file, segments);    // build_diagram.hpp
//   Result<std::string> page = write_html(diagram);  // self-contained page
//   std::string dot = write_dot(diagram);
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/diagnostic.hpp"

namespace slipway::model {

inline constexpr std::uint32_t kNoCluster = 0xffffffff;

// A time, and its share of the whole run.
struct DiagramTime {
  double milliseconds = 0, share = 0;
};

enum class DiagramKind : std::uint8_t { Input, Output, Constant, Operator, Shader };

struct DiagramNode {
  DiagramKind kind = DiagramKind::Operator;
  std::string title;                                                 // `CONV2D`
  std::vector<std::string> lines;                                    // what is shown below it
  std::string details;                                               // what is shown on demand: lines of text
  std::vector<std::pair<std::string, std::string>> attributes = {};  // likewise: names and values
  std::uint32_t cluster = kNoCluster;
  std::vector<std::string> results;  // the text at each of its results: a shape
  std::optional<DiagramTime> time;
};

// A value from a node to a node that uses it.
struct DiagramEdge {
  std::uint32_t from = 0, to = 0;
  std::uint32_t result = 0;  // of `from`
};

// One of several equal sequences of operators.
struct DiagramBlock {
  std::uint32_t kind = 0, index = 0;
};

// A group of nodes: operators of one kernel, kernels of one segment, or a block.
struct DiagramCluster {
  std::string title, details;
  std::uint32_t parent = kNoCluster;
  std::optional<DiagramTime> time;
  std::optional<DiagramBlock> block = std::nullopt;
};

struct Diagram {
  std::string title;
  std::vector<std::string> summary;  // lines
  std::vector<DiagramNode> nodes;
  std::vector<DiagramEdge> edges;
  std::vector<DiagramCluster> clusters;  // a parent before its children
};

// With clusters for the blocks of the diagram (blocks.hpp), which the page can fold. Errors: unsupported (too large to
// be drawn).
Result<std::string> write_html(const Diagram& diagram);

std::string write_dot(const Diagram& diagram);

}  // namespace slipway::model
