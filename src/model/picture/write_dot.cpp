// The picture in the language of Graphviz.

#include "base/format.hpp"
#include "model/picture/picture.hpp"

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

std::string time_line(const std::optional<PictureTime>& time) {
  return time ? formatted("\n{:.3f} ms, {:.1f} %", time->milliseconds, time->share * 100) : "";
}

std::string_view shape_of(PictureKind kind) {
  switch (kind) {
    case PictureKind::Input:
    case PictureKind::Output:
      return "ellipse";
    case PictureKind::Shader:
      return "component";
    case PictureKind::Constant:
      return "note";
    case PictureKind::Operator:
      break;
  }
  return "box";
}

class Writer {
 public:
  explicit Writer(const Picture& picture) : picture_(picture), members_(picture.clusters.size()) {
    for (std::size_t i = 0; i < picture.nodes.size(); ++i) {
      if (picture.nodes[i].cluster != kNoCluster) members_[picture.nodes[i].cluster].push_back(i);
    }
  }

  std::string text() {
    out_ = formatted("digraph {} {{\n  node [fontname=\"monospace\"];\n  edge [fontname=\"monospace\"];\n",
                     dot_text(picture_.title));
    for (std::size_t i = 0; i < picture_.nodes.size(); ++i) {
      if (picture_.nodes[i].cluster == kNoCluster) node(i, "  ");
    }
    clusters(kNoCluster, "  ");
    for (const PictureEdge& edge : picture_.edges) {
      out_ += formatted("  n{} -> n{} [label={}];\n", edge.from, edge.to,
                        dot_text(picture_.nodes[edge.from].results[edge.result]));
    }
    return out_ + "}\n";
  }

 private:
  void clusters(std::uint32_t parent, const std::string& indent) {
    const std::size_t first = parent == kNoCluster ? 0 : parent + 1;
    for (std::size_t i = first; i < picture_.clusters.size(); ++i) {
      const PictureCluster& cluster = picture_.clusters[i];
      if (cluster.parent != parent) continue;
      out_ += formatted("{0}subgraph cluster_{1} {{\n{0}  label={2};\n{0}  style=dashed;\n", indent, i,
                        dot_text(cluster.title + time_line(cluster.time)));
      for (const std::size_t member : members_[i]) node(member, indent + "  ");
      clusters(static_cast<std::uint32_t>(i), indent + "  ");
      out_ += indent + "}\n";
    }
  }

  void node(std::size_t i, const std::string& indent) {
    const PictureNode& node = picture_.nodes[i];
    std::string label = node.title;
    for (const std::string& line : node.lines) label += "\n" + line;
    out_ += formatted("{}n{} [shape={}, label={}, tooltip={}];\n", indent, i, shape_of(node.kind),
                      dot_text(label + time_line(node.time) + "\n"), dot_text(node.details));
  }

  const Picture& picture_;
  std::vector<std::vector<std::size_t>> members_;  // nodes by cluster
  std::string out_;
};

}  // namespace

std::string write_dot(const Picture& picture) { return Writer(picture).text(); }

}  // namespace slipway::model
