// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The diagram in the language of Graphviz.

#include "base/format.hpp"
#include "model/graph_view/diagram.hpp"

namespace slipway::model {
namespace {

std::string dot_text(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    if (c == '\n')
      out += "\\l";  // a line that begins at the left
    else
      out += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
  }
  return out + "\"";
}

std::string time_line(const std::optional<DiagramTime>& time) {
  return time ? formatted("\n{:.3f} ms, {:.1f} %", time->milliseconds, time->share * 100) : "";
}

std::string_view shape_of(DiagramKind kind) {
  switch (kind) {
    case DiagramKind::Input:
    case DiagramKind::Output:
      return "ellipse";
    case DiagramKind::Shader:
      return "component";
    case DiagramKind::Constant:
      return "note";
    case DiagramKind::Operator:
      break;
  }
  return "box";
}

class Writer {
 public:
  explicit Writer(const Diagram& diagram) : diagram_(diagram), members_(diagram.clusters.size()) {
    for (std::size_t i = 0; i < diagram.nodes.size(); ++i) {
      if (diagram.nodes[i].cluster != kNoCluster) members_[diagram.nodes[i].cluster].push_back(i);
    }
  }

  std::string text() {
    out_ = formatted("digraph {} {{\n  node [fontname=\"monospace\"];\n  edge [fontname=\"monospace\"];\n",
                     dot_text(diagram_.title));
    for (std::size_t i = 0; i < diagram_.nodes.size(); ++i) {
      if (diagram_.nodes[i].cluster == kNoCluster) node(i, "  ");
    }
    clusters(kNoCluster, "  ");
    for (const DiagramEdge& edge : diagram_.edges) {
      out_ += formatted("  n{} -> n{} [label={}];\n", edge.from, edge.to,
                        dot_text(diagram_.nodes[edge.from].results[edge.result]));
    }
    return out_ + "}\n";
  }

 private:
  void clusters(std::uint32_t parent, const std::string& indent) {
    const std::size_t first = parent == kNoCluster ? 0 : parent + 1;
    for (std::size_t i = first; i < diagram_.clusters.size(); ++i) {
      const DiagramCluster& cluster = diagram_.clusters[i];
      if (cluster.parent != parent) continue;
      out_ += formatted("{0}subgraph cluster_{1} {{\n{0}  label={2};\n{0}  style=dashed;\n", indent, i,
                        dot_text(cluster.title + time_line(cluster.time)));
      for (const std::size_t member : members_[i]) node(member, indent + "  ");
      clusters(static_cast<std::uint32_t>(i), indent + "  ");
      out_ += indent + "}\n";
    }
  }

  void node(std::size_t i, const std::string& indent) {
    const DiagramNode& node = diagram_.nodes[i];
    std::string label = node.title;
    for (const std::string& line : node.lines) label += "\n" + line;
    out_ += formatted("{}n{} [shape={}, label={}, tooltip={}];\n", indent, i, shape_of(node.kind),
                      dot_text(label + time_line(node.time) + "\n"), dot_text(node.details));
  }

  const Diagram& diagram_;
  std::vector<std::vector<std::size_t>> members_;  // nodes by cluster
  std::string out_;
};

}  // namespace

std::string write_dot(const Diagram& diagram) { return Writer(diagram).text(); }

}  // namespace slipway::model
