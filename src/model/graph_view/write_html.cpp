// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The diagram as one page: SVG, with the style and the few lines of script that it needs.
#include <algorithm>
#include <array>
#include <cmath>

#include "base/escape.hpp"
#include "base/format.hpp"
#include "model/graph_view/html.hpp"
#include "model/graph_view/placement.hpp"

namespace slipway::model {
namespace {

constexpr std::string_view kStyle = R"(
  body { margin: 0; font: 13px/1.4 system-ui, sans-serif; color: #1b2733; background: #fff; }
  header { position: sticky; top: 0; left: 0; z-index: 1; padding: 8px 16px; background: #f4f6f8; border-bottom: 1px solid #cfd8e0; }
  h1 { display: inline; font-size: 15px; margin: 0 16px 0 0; }
  header p { margin: 4px 0 0; }
  button { font: inherit; min-width: 2.2em; }
  main { display: flex; align-items: flex-start; }
  nav { position: sticky; top: 80px; flex: none; max-height: 85vh; overflow: auto; padding: 8px 16px; }
  td { padding: 1px 8px 1px 0; white-space: nowrap; }
  td.n { text-align: right; font-variant-numeric: tabular-nums; }
  a { color: #0b5394; text-decoration: none; }
  figure { margin: 16px; overflow: visible; }
  svg text { font: 12px ui-monospace, "DejaVu Sans Mono", monospace; fill: #1b2733; }
  svg .t { font-weight: bold; }
  svg .h { paint-order: stroke; stroke: #fff; stroke-width: 3px; }
  svg .ms { fill: #7a2e00; }
  svg .c > rect { fill: #f7f9fb; stroke: #9fb0c0; stroke-dasharray: 4 3; }
  svg .n > rect { fill: #fff; stroke: #5b7083; }
  svg .Input > rect, svg .Output > rect { fill: #e3f1e5; stroke: #4c8a55; }
  svg .Constant > rect { fill: #eee; }
  svg .Shader > rect { fill: #efe6f7; stroke: #7d5ba6; }
  svg path { fill: none; stroke: #5b7083; stroke-width: 1.3; }
  svg .on > rect { stroke: #c00; stroke-width: 2.5; }
  svg path.on { stroke: #c00; stroke-width: 2.5; }
)";

// Zooms with the buttons, or with control and the wheel. Pointing at a value highlights all of its lines; a link of the
// table highlights its target.
constexpr std::string_view kScript = R"(
  const svg = document.querySelector('svg'), width = svg.width.baseVal.value, height = svg.height.baseVal.value;
  let zoom = 1;
  function set(z) { zoom = Math.min(4, Math.max(0.05, z)); svg.setAttribute('width', width * zoom); svg.setAttribute('height', height * zoom); }
  document.getElementById('in').onclick = () => set(zoom * 1.25);
  document.getElementById('out').onclick = () => set(zoom / 1.25);
  document.getElementById('fit').onclick = () => set(Math.min(1, (document.querySelector('figure').parentElement.clientWidth - 360) / width));
  addEventListener('wheel', e => { if (e.ctrlKey) { e.preventDefault(); set(zoom * (e.deltaY < 0 ? 1.1 : 1 / 1.1)); } }, { passive: false });
  function light(all) { svg.querySelectorAll('.on').forEach(e => e.classList.remove('on')); all.forEach(e => e.classList.add('on')); }
  svg.addEventListener('click', e => {
    const path = e.target.closest('path[data-v]'), box = e.target.closest('g[id]');
    light(path ? svg.querySelectorAll(`path[data-v="${path.dataset.v}"]`) : box ? [box] : []);
  });
  document.querySelectorAll('nav a').forEach(a => a.onclick = e => {
    const box = document.getElementById(a.hash.slice(1));
    light([box]); box.scrollIntoView({ block: 'center', inline: 'center' }); e.preventDefault();
  });
)";

class Page {
 public:
  Page(const Diagram& diagram, const Placement& placement) : diagram_(diagram), placement_(placement) {
    for (const DiagramNode& node : diagram.nodes) add_share(node.time);
    for (const DiagramCluster& cluster : diagram.clusters) add_share(cluster.time, has_times_inside(cluster));
  }

  std::string text() {
    head();
    table();
    svg();
    out_ += formatted("</main>\n<script>{}</script>\n</body>\n</html>\n", kScript);
    return std::move(out_);
  }

 private:
  void head() {
    out_ += formatted(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<title>{0}</title>\n"
        "<style>{1}</style>\n</head>\n<body>\n<header><h1>{0}</h1>",
        escape_markup(diagram_.title), kStyle);
    out_ +=
        "<button id=\"out\" title=\"smaller\">−</button> <button id=\"fit\" title=\"as wide as the "
        "window\">fit</button> "
        "<button id=\"in\" title=\"larger\">+</button>\n";
    for (const std::string& line : diagram_.summary) out_ += formatted("<p>{}</p>\n", escape_markup(line));
    out_ += "</header>\n<main>\n";
  }

  // The entries with the longest times, at most a hundred.
  void table() {
    struct Row {
      DiagramTime time;
      std::string title, id;
    };
    std::vector<Row> rows;
    for (std::size_t i = 0; i < diagram_.nodes.size(); ++i) {
      if (const auto& node = diagram_.nodes[i]; node.time)
        rows.push_back({*node.time, node.title, formatted("n{}", i)});
    }
    for (std::size_t i = 0; i < diagram_.clusters.size(); ++i) {
      const DiagramCluster& cluster = diagram_.clusters[i];
      if (cluster.time && !has_times_inside(cluster))
        rows.push_back({*cluster.time, cluster.title, formatted("c{}", i)});
    }
    if (rows.empty()) return;
    std::ranges::stable_sort(rows, std::ranges::greater(), [](const Row& row) { return row.time.milliseconds; });
    constexpr std::size_t kShown = 100;
    out_ += "<nav><table>\n";
    for (const Row& row : std::span(rows).first(std::min(rows.size(), kShown))) {
      out_ += formatted(
          "<tr><td class=\"n\">{:.3f} ms</td><td class=\"n\">{:.1f} %</td><td><a href=\"#{}\">{}</a></td></tr>\n",
          row.time.milliseconds, row.time.share * 100, row.id, escape_markup(row.title));
    }
    out_ += "</table>";
    if (rows.size() > kShown) out_ += formatted("<p>and {} more</p>", rows.size() - kShown);
    out_ += "</nav>\n";
  }

  void svg() {
    const std::string width = pixel_text(placement_.width), height = pixel_text(placement_.height);
    out_ += formatted(
        "<figure><svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" viewBox=\"0 0 {0} {1}\">\n"
        "<defs><marker id=\"a\" viewBox=\"0 0 8 8\" refX=\"7\" refY=\"4\" markerWidth=\"7\" markerHeight=\"7\" "
        "orient=\"auto\"><path d=\"M0 0 L8 4 L0 8 z\" style=\"fill:#5b7083;stroke:none\"/></marker></defs>\n",
        width, height);
    for (std::size_t i = 0; i < diagram_.clusters.size(); ++i) cluster(i);
    for (const PlacedLink& link : placement_.links) line(link);
    for (std::size_t i = 0; i < diagram_.nodes.size(); ++i) node(i);
    out_ += "</svg></figure>\n";
  }

  void begin_box(std::string_view kinds, std::string_view id, const PlacedBox& box, const std::string& details,
                 const std::optional<DiagramTime>& time) {
    out_ += formatted(
        "<g class=\"{}\" id=\"{}\"><title>{}</title><rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" rx=\"4\"{}/>",
        kinds, id, escape_markup(details), pixel_text(box.at.x), pixel_text(box.at.y), pixel_text(box.width),
        pixel_text(box.height), colour(time));
  }

  void text(std::string_view kinds, double x, double y, std::string_view line) {
    out_ += formatted("<text class=\"{}\" x=\"{}\" y=\"{}\">{}</text>", kinds, pixel_text(x), pixel_text(y),
                      escape_markup(line));
  }

  static std::string time_text(const DiagramTime& time) {
    return formatted("{:.3f} ms, {:.1f} %", time.milliseconds, time.share * 100);
  }

  void cluster(std::size_t i) {
    const DiagramCluster& cluster = diagram_.clusters[i];
    const PlacedBox& box = placement_.clusters[i];
    const bool inside = has_times_inside(cluster);
    begin_box("c", formatted("c{}", i), box, cluster.details, inside ? std::nullopt : cluster.time);
    double y = box.at.y + kLineHeight;
    text("t", box.at.x + kPadding, y, cluster.title);
    if (cluster.time) text("ms", box.at.x + kPadding, y += kLineHeight, time_text(*cluster.time));
    out_ += "</g>\n";
  }

  void node(std::size_t i) {
    const DiagramNode& node = diagram_.nodes[i];
    const PlacedBox& box = placement_.nodes[i];
    begin_box(formatted("n {}", name_of(node.kind)), formatted("n{}", i), box, node.details, node.time);
    double y = box.at.y + kLineHeight;
    text("t", box.at.x + kPadding, y, node.title);
    for (const std::string& line : node.lines) text("", box.at.x + kPadding, y += kLineHeight, line);
    if (node.time) text("ms", box.at.x + kPadding, y += kLineHeight, time_text(*node.time));
    for (std::size_t k = 0; k < node.results.size(); ++k) {
      const Point at = placement_.results[i][k];
      text("h", at.x + 4, at.y + kLineHeight - 3, node.results[k]);
    }
    out_ += "</g>\n";
  }

  // Straight beside boxes, curved where it moves sideways.
  void line(const PlacedLink& link) {
    std::string path = formatted("M{} {}", pixel_text(link.points[0].x), pixel_text(link.points[0].y));
    for (std::size_t i = 1; i < link.points.size(); ++i) {
      const Point from = link.points[i - 1], to = link.points[i];
      if (std::abs(from.x - to.x) < 0.05) {
        path += formatted("V{}", pixel_text(to.y));
      } else {
        const std::string middle = pixel_text((from.y + to.y) / 2);
        path += formatted("C{} {} {} {} {} {}", pixel_text(from.x), middle, pixel_text(to.x), middle, pixel_text(to.x),
                          pixel_text(to.y));
      }
    }
    const DiagramNode& node = diagram_.nodes[link.from];
    out_ += formatted("<path data-v=\"{}.{}\" d=\"{}\"{}><title>{}</title></path>\n", link.from, link.result, path,
                      link.ends_at_node ? " marker-end=\"url(#a)\"" : "",
                      escape_markup(node.title + "  " + node.results[link.result]));
  }

  static std::string_view name_of(DiagramKind kind) {
    constexpr std::array<std::string_view, 5> kNames = {"Input", "Output", "Constant", "Operator", "Shader"};
    return kNames[static_cast<std::size_t>(kind)];
  }

  // The time of a segment is the sum of its parts.
  bool has_times_inside(const DiagramCluster& cluster) const {
    const auto index = static_cast<std::uint32_t>(&cluster - diagram_.clusters.data());
    const auto timed_in = [&](const auto& of, std::uint32_t parent) { return of.time && parent == index; };
    return std::ranges::any_of(diagram_.clusters, [&](const auto& c) { return timed_in(c, c.parent); }) ||
           std::ranges::any_of(diagram_.nodes, [&](const auto& n) { return timed_in(n, n.cluster); });
  }

  void add_share(const std::optional<DiagramTime>& time, bool leave_out = false) {
    if (time && !leave_out) max_share_ = std::max(max_share_, time->share);
  }

  // From white to orange, relative to the longest time.
  std::string colour(const std::optional<DiagramTime>& time) const {
    if (!time || max_share_ <= 0) return "";
    const double heat = std::sqrt(std::clamp(time->share / max_share_, 0.0, 1.0));
    const auto mixed = [&](int cold, int hot) { return static_cast<int>(std::lround(cold + heat * (hot - cold))); };
    return formatted(" style=\"fill:rgb({},{},{})\"", mixed(255, 255), mixed(253, 158), mixed(248, 87));
  }

  const Diagram& diagram_;
  const Placement& placement_;
  double max_share_ = 0;
  std::string out_;
};

}  // namespace

Result<std::string> write_html(const Diagram& diagram) {
  const std::optional<Placement> placement = place_diagram(diagram);
  if (!placement) {
    return fail(DiagnosticKind::Unsupported, {},
                formatted("a diagram of {} operators and {} links is too large to be laid out; Graphviz may take it: "
                          "write a .dot file",
                          diagram.nodes.size(), diagram.edges.size()));
  }
  return Page(diagram, *placement).text();
}

}  // namespace slipway::model
