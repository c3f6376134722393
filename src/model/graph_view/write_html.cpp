// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The diagram as one page. The positions are part of its data; its script draws them as SVG, again when blocks fold.
#include <algorithm>
#include <array>
#include <cmath>

#include "base/format.hpp"
#include "base/text/page.hpp"
#include "json/writer.hpp"
#include "model/graph_view/blocks.hpp"
#include "model/graph_view/placement.hpp"

namespace slipway::model {
namespace {

constexpr std::string_view kGraphStyle = R"PAGE(
:root { --box: #fff; --edge: #5b7083; --in: #dff0e2; --shader: #efe6f7; --const: #eceff1; --hot: #ff9e57; }
@media (prefers-color-scheme: dark) { :root { --box: #1d2832; --edge: #8296a8; --in: #1d3a26; --shader: #37294a; --const: #2a333b; --hot: #c2571a; } }
body { display: grid; grid-template: auto 1fr / 1fr 340px; height: 100vh; height: 100dvh; overflow: hidden; }
header { grid-column: 1 / -1; display: flex; flex-wrap: wrap; align-items: center; gap: 4px 10px; padding: 6px 12px; background: var(--panel); border-bottom: 1px solid var(--line); }
header h1 { font-size: 15px; margin: 0; overflow-wrap: anywhere; } header p { margin: 0; flex-basis: 100%; }
header input { flex: 1 1 12em; max-width: 26em; font: inherit; padding: 4px 8px; color: inherit; background: var(--bg); border: 1px solid var(--line); border-radius: 6px; }
header button, header select, aside button { font: inherit; color: inherit; background: var(--bg); border: 1px solid var(--line); border-radius: 6px; padding: 3px 10px; cursor: pointer; }
#view { position: relative; min-width: 0; min-height: 0; } #scroll { position: absolute; inset: 0; overflow: auto; scrollbar-gutter: stable; padding: 8px 96px 8px 8px; }
#map { position: absolute; right: 14px; top: 8px; width: 72px; background: var(--panel); border-radius: 4px; opacity: .95; cursor: crosshair; }
aside { overflow: auto; padding: 8px 14px 24px; border-left: 1px solid var(--line); } aside h2 { margin: 6px 0; overflow-wrap: anywhere; } aside td { overflow-wrap: anywhere; }
aside td .soft { white-space: nowrap; }
aside a { color: var(--accent); cursor: pointer; }
svg { display: block; } svg text { font: 12px ui-monospace, "DejaVu Sans Mono", monospace; fill: var(--fg); pointer-events: none; }
svg .t { font-weight: bold; } svg .ms { font-style: italic; }
svg g { cursor: pointer; } svg rect { fill: var(--box); stroke: var(--edge); } svg .c > rect { fill: var(--panel); stroke-dasharray: 4 3; } svg .b > rect { stroke: var(--accent); stroke-dasharray: none; }
svg .k0 > rect, svg .k1 > rect { fill: var(--in); stroke: var(--good); } svg .k2 > rect { fill: var(--const); } svg .k4 > rect { fill: var(--shader); }
svg path { fill: none; stroke: var(--edge); stroke-width: 1.3; } svg marker path { fill: var(--edge); stroke: none; }
svg path.on { stroke: var(--bad); stroke-width: 2.5; } svg .hit > rect { stroke: var(--accent); stroke-width: 2.5; } svg .on > rect { stroke: var(--bad); stroke-width: 3; stroke-dasharray: none; }
@media (max-width: 700px) { body { grid-template: auto 1fr 38vh / 1fr; } aside { border-left: 0; border-top: 1px solid var(--line); } #scroll { padding-right: 44px; } #map { right: 6px; width: 32px; } header p { display: none; } }
@media print { body { display: block; height: auto; overflow: visible; } #scroll { position: static; overflow: visible; } #map { display: none; } }
)PAGE";

constexpr std::string_view kGraphBody =
    R"PAGE(<header><h1 id="title"></h1><input id="search" type="search" placeholder="search operators, shapes, attributes" aria-label="search">
<span><button id="out" title="smaller">&minus;</button> <button id="in" title="larger">+</button> <button id="fit" title="as wide as the window">fit</button> <select id="fold" aria-label="folding" hidden><option value="2">fold blocks and kernels</option><option value="1">fold repeated blocks</option><option value="0">show everything</option></select></span>
<p class="soft" id="about"></p></header>
<div id="view"><div id="scroll"></div><canvas id="map"></canvas></div>
<aside id="panel"></aside>
)PAGE";

constexpr std::string_view kGraphScript = R"PAGE(
const N = D.nodes, C = D.clusters, ms = x => time(x / 1e3), pct = s => (s * 100).toFixed(1) + ' %', NS = 'http://www.w3.org/2000/svg';
const make = (tag, attributes, text) => { const e = document.createElementNS(NS, tag); for (const [k, v] of Object.entries(attributes)) e.setAttribute(k, v); if (text != null) e.textContent = text; return e; };
document.title = D.title + ' \u2013 Slipway';
$('title').textContent = D.title; $('about').textContent = D.summary.join(' \u00b7 ');
// --- what is inside what
const above = c => { const all = []; for (; c >= 0; c = C[c].p) all.push(c); return all; };
const timed = new Set(); [...N, ...C].forEach(x => { if (x.ms != null && x.p >= 0) timed.add(x.p); });
N.forEach((n, i) => { n.i = i; n.id = 'n' + i; n.name = n.t; n.all = [n.t, ...n.l, ...n.r, ...n.a.filter(a => a[0] !== 'kernel').flat(), n.a.length ? '' : n.d].join('\n').toLowerCase(); n.above = above(n.p); n.block = n.above.find(c => C[c].block); });
C.forEach((c, i) => { c.i = i; c.id = 'c' + i; c.name = c.t; c.above = above(c.p); c.all = (c.t + '\n' + c.d).toLowerCase(); c.nodes = N.filter(n => n.above.includes(i)); });
const own = x => x.ms != null && !timed.has(x.i * 1) || x.id[0] === 'n';
const hottest = Math.max(0, ...N.map(n => n.s || 0), ...C.filter(c => c.ms != null && !timed.has(c.i)).map(c => c.s));
// A block or a kernel folds if nothing else is beside it.
const inner = new Set(C.map(c => c.p)), blocks = C.filter(c => (c.block || !inner.has(c.i)) && ![...N, ...C].some(x => x !== c && !x.above.includes(c.i) && !(x.id[0] === 'c' && c.above.includes(x.i)) && x.y < c.y + c.h && c.y < x.y + x.h)).sort((a, b) => a.y - b.y);
const small = c => 22 + (c.ms != null ? 16 : 0) + 16;
const foldTo = level => blocks.forEach(c => c.folded = c.block ? level > 0 && c.block[1] > 0 : level > 1);
let zoom = 1, chosen = null, hits = [], height = 0, svg = null;
const hidden = x => x.above.some(c => C[c].folded);
// Where a point is while blocks are folded.
function moved(y) {
  let d = 0;
  for (const c of blocks) {
    if (y <= c.y) break;
    if (!c.folded || hidden(c)) continue;
    d += Math.max(0, Math.min(y - c.y, c.h) - small(c));
  }
  return y - d;
}
function path(p) {
  let d = 'M' + p[0] + ' ' + moved(p[1]);
  for (let i = 2; i < p.length; i += 2) {
    const y = moved(p[i + 1]), middle = (moved(p[i - 1]) + y) / 2;
    d += Math.abs(p[i] - p[i - 2]) < .05 ? 'V' + y : 'C' + p[i - 2] + ' ' + middle + ' ' + p[i] + ' ' + middle + ' ' + p[i] + ' ' + y;
  }
  return d;
}
function box(x, cls) {
  const g = make('g', { class: cls, id: x.id }), y = moved(x.y), h = x.folded ? small(x) : moved(x.y + x.h) - y, r = make('rect', { x: x.x, y, width: x.w, height: h, rx: 4 });
  if (x.s != null && hottest > 0 && (x.folded || own(x))) r.style.fill = 'color-mix(in srgb, var(--hot) ' + (100 * Math.sqrt(Math.min(1, x.s / hottest))).toFixed(0) + '%, var(--box))';
  g.append(make('title', {}, x.d || x.t), r);
  let at = y;
  const line = (text, cls) => g.append(make('text', { x: x.x + 8, y: at += 16, class: cls }, text));
  line((x.folded ? '\u25b8 ' : blocks.includes(x) ? '\u25be ' : '') + x.t, 't');
  if (x.folded) line(x.nodes.length + ' operators', ''); else (x.l || []).forEach(t => line(t, ''));
  if (x.ms != null) line(x.ms.toFixed(3) + ' ms, ' + pct(x.s), 'ms');
  const of = x.folded ? x.nodes[x.nodes.length - 1] : x;
  (of.r || []).forEach((t, k) => g.append(make('text', { x: of.rx[k] + 4, y: y + h + 13 }, t)));
  g.onclick = e => { e.stopPropagation(); choose(x); };
  if (blocks.includes(x)) g.ondblclick = () => fold(x);
  return g;
}
function draw() {
  height = moved(D.size[1]);
  svg = make('svg', { viewBox: '0 0 ' + D.size[0] + ' ' + height });
  svg.innerHTML = '<defs><marker id="a" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto"><path d="M0 0 L8 4 L0 8 z"/></marker></defs>';
  C.forEach(c => { if (!hidden(c)) svg.append(box(c, 'c' + (c.block ? ' b' : ''))); });
  D.links.forEach(l => {
    if (l.c >= 0 && [l.c, ...C[l.c].above].some(c => C[c].folded)) return;
    const p = make('path', { d: path(l.p), 'data-v': l.f + '.' + l.r });
    if (l.n) p.setAttribute('marker-end', 'url(#a)');
    p.append(make('title', {}, N[l.f].t + '  ' + N[l.f].r[l.r]));
    p.onclick = e => { e.stopPropagation(); svg.querySelectorAll('.on').forEach(x => x.classList.remove('on')); svg.querySelectorAll('path[data-v="' + l.f + '.' + l.r + '"]').forEach(x => x.classList.add('on')); };
    svg.append(p);
  });
  N.forEach(n => { if (!hidden(n)) svg.append(box(n, 'k' + n.k)); });
  svg.onclick = () => choose(null);
  $('scroll').replaceChildren(svg);
  size(); light();
  $('fold').hidden = !blocks.length;
}
function size() { svg.setAttribute('width', D.size[0] * zoom); svg.setAttribute('height', height * zoom); minimap(); }
// Zooms around a point of the view.
function setZoom(z, at) {
  const s = $('scroll'), x = at ? at.x : s.clientWidth / 2, y = at ? at.y : s.clientHeight / 2, old = zoom;
  zoom = Math.min(4, Math.max(.05, z)); size();
  s.scrollLeft = (s.scrollLeft + x) * zoom / old - x; s.scrollTop = (s.scrollTop + y) * zoom / old - y;
}
const wide = () => (($('scroll').clientWidth || 400) - (innerWidth > 700 ? 104 : 52)) / D.size[0];
function light() {
  svg.querySelectorAll('.on, .hit').forEach(e => e.classList.remove('on', 'hit'));
  hits.forEach(x => { const e = svg.querySelector('#' + x.id); if (e) e.classList.add('hit'); });
  const e = chosen && svg.querySelector('#' + chosen.id); if (e) e.classList.add('on');
  minimap();
}
function show(x) {
  const inside = x.above.filter(c => C[c].folded);
  if (inside.length) { inside.forEach(c => C[c].folded = false); draw(); }
  const s = $('scroll');
  s.scrollTop = (moved(x.y) + Math.min(x.h, 60) / 2) * zoom - s.clientHeight / 2; s.scrollLeft = (x.x + x.w / 2) * zoom - s.clientWidth / 2;
}
function choose(x, move) { chosen = x; if (x && move) show(x); light(); panel(); }
function fold(c) { c.folded = !c.folded; draw(); panel(); }
$('in').onclick = () => setZoom(zoom * 1.25); $('out').onclick = () => setZoom(zoom / 1.25);
$('fit').onclick = () => setZoom(Math.min(1, wide()));
$('fold').onchange = () => { foldTo(+$('fold').value); draw(); panel(); };
$('scroll').addEventListener('wheel', e => { if (e.ctrlKey) { e.preventDefault(); const r = $('scroll').getBoundingClientRect(); setZoom(zoom * (e.deltaY < 0 ? 1.1 : 1 / 1.1), { x: e.clientX - r.left, y: e.clientY - r.top }); } }, { passive: false });
// --- the map: everything, and the part that is shown
function minimap() {
  const m = $('map'), view = $('view'), w = m.clientWidth, f = Math.min(w / D.size[0], Math.max(60, view.clientHeight - 24) / height), h = Math.ceil(height * f), p = devicePixelRatio || 1, css = getComputedStyle(document.documentElement);
  m.style.height = h + 'px'; m.width = w * p; m.height = h * p;
  const g = m.getContext('2d'), s = $('scroll');
  g.setTransform(f * p, 0, 0, f * p, (w - D.size[0] * f) * p / 2, 0);
  const paint = (x, colour, whole) => { g.fillStyle = css.getPropertyValue(colour); g.fillRect(x.x, moved(x.y), x.w, Math.max(whole ? 0 : 1.5 / f, (x.folded ? small(x) : moved(x.y + x.h) - moved(x.y)))); };
  C.forEach(c => { if (!hidden(c)) paint(c, c.folded ? '--soft' : '--line', true); });
  N.forEach(n => { if (!hidden(n)) paint(n, n.s > hottest / 4 ? '--hot' : n.k < 2 ? '--good' : '--edge'); });
  hits.forEach(x => { if (!hidden(x)) paint(x, '--accent'); }); if (chosen && !hidden(chosen)) paint(chosen, '--bad');
  g.strokeStyle = css.getPropertyValue('--accent'); g.lineWidth = 1.5 / f;
  g.strokeRect(s.scrollLeft / zoom, s.scrollTop / zoom, Math.min(D.size[0], s.clientWidth / zoom), s.clientHeight / zoom);
  m.f = f;
}
$('scroll').addEventListener('scroll', minimap); addEventListener('resize', minimap);
matchMedia('(prefers-color-scheme: dark)').addEventListener('change', minimap);
$('map').onpointerdown = $('map').onpointermove = e => { if (!e.buttons) return; const s = $('scroll'); s.scrollTop = e.offsetY / $('map').f * zoom - s.clientHeight / 2; if (e.type === 'pointerdown') $('map').setPointerCapture(e.pointerId); };
// --- the panel: what was found, what is chosen, or the longest times
const action = (text, act) => { const a = el('a', text); a.tabIndex = 0; a.onclick = act; a.onkeydown = e => { if (e.key === 'Enter') act(); }; return a; };
const link = (x, text) => action((text || x.name).replace(/\+/g, '+\u200b'), () => choose(x, true));
const rows = (heads, all, numeric) => all.length ? table(heads, all, numeric) : '';
function panel() {
  const p = $('panel'); p.replaceChildren();
  if (chosen && chosen.id[0] === 'n') {
    const n = chosen, from = D.edges.filter(e => e[1] === n.i), to = D.edges.filter(e => e[0] === n.i);
    put(p, el('h2', n.t), n.ms != null ? el('p', n.ms.toFixed(3) + ' ms, ' + pct(n.s) + ' of the run', 'warn') : '', rows(['', ''], n.a.map(a => [el('span', a[0], 'soft'), el('code', a[1])]), []));
    if (from.length) put(p, el('h2', 'from'), rows(['operator', 'value'], from.map(e => [link(N[e[0]]), el('code', N[e[0]].r[e[2]])]), []));
    if (to.length) put(p, el('h2', 'to'), rows(['operator', 'value'], to.map(e => [link(N[e[1]]), el('code', n.r[e[2]])]), []));
    n.above.forEach(c => put(p, put(el('p', 'in '), link(C[c]))));
    if (n.d && !n.a.length) put(p, el('pre', n.d));
  } else if (chosen) {
    const c = chosen;
    put(p, el('h2', c.t), el('p', c.d, 'soft'), c.ms != null ? el('p', c.ms.toFixed(3) + ' ms, ' + pct(c.s) + ' of the run', 'warn') : '');
    if (blocks.includes(c)) { const b = el('button', c.folded ? 'unfold' : 'fold'); b.onclick = () => fold(c); put(p, b); }
    if (c.block) put(p, el('p', 'the same operators: ', 'soft'), ...C.filter(x => x.block && x.block[0] === c.block[0] && x !== c).map(x => put(el('div'), link(x), x.ms != null ? ' ' + ms(x.ms) : '')));
    put(p, el('h2', c.nodes.length + ' operators'), rows(['operator', 'result', ''], c.nodes.slice(0, 300).map(n => [link(n), el('code', n.r.join(' ')), n.ms != null ? ms(n.ms) : '']), [2]));
  } else if ($('search').value) {
    put(p, el('h2', hits.length + (hits.length === 1 ? ' match' : ' matches')), rows(['operator', ''], hits.slice(0, 300).map(x => [link(x), el('code', (x.l || []).concat(x.r || []).join(' ') || x.d)]), []));
  } else {
    const all = [...N, ...C.filter(c => !timed.has(c.i))].filter(x => x.ms != null).sort((a, b) => b.ms - a.ms), kinds = {};
    N.filter(n => n.k > 2).forEach(n => { const k = kinds[n.t] = kinds[n.t] || [0, 0]; ++k[0]; k[1] += n.ms || 0; });
    if (all.length) put(p, el('h2', 'longest times'), rows(['time', '', 'of', 'result'], all.slice(0, 100).map(x => [x.ms.toFixed(3) + ' ms', pct(x.s), link(x, x.k != null ? x.t + ' ' + (x.l[0] || '') : x.t), el('code', (x.r || x.nodes.slice(-1).flatMap(n => n.r)).join(' '))]), [0, 1]));
    if (all.length > 100) put(p, el('p', 'and ' + (all.length - 100) + ' more', 'soft'));
    put(p, el('h2', 'operators'), rows(['', ''], Object.entries(kinds).sort((a, b) => b[1][0] - a[1][0]).map(([k, v]) => [v[0], action(k, () => { $('search').value = k; next = 0; find(); })]), [0]));
  }
}
function find() {
  const words = $('search').value.toLowerCase().split(/\s+/).filter(x => x);
  hits = words.length ? [...N, ...C].filter(x => words.every(w => x.all.includes(w))) : [];
  chosen = null; light(); panel();
}
let next = 0;
$('search').oninput = () => { next = 0; find(); };
$('search').onkeydown = e => { if (e.key !== 'Enter' || !hits.length) return; const x = hits[next++ % hits.length]; chosen = x; show(x); light(); };
addEventListener('keydown', e => {
  if (e.ctrlKey || e.metaKey || e.altKey) return;
  if (e.key === 'Escape') { $('search').value = ''; $('search').blur(); next = 0; find(); }
  else if (e.target.matches('input, select')) return;
  else if (e.key === '/') { e.preventDefault(); $('search').select(); }
  else if (e.key === '+' || e.key === '=') setZoom(zoom * 1.25);
  else if (e.key === '-') setZoom(zoom / 1.25);
  else if (e.key === 'f' && blocks.includes(chosen)) fold(chosen);
});
zoom = Math.min(1, Math.max(innerWidth > 700 ? .5 : .6, wide()));
// A diagram that stays long shows no operators of kernels.
foldTo(1);
if (moved(D.size[1]) > 4000) foldTo(2); else $('fold').value = 1;
draw(); panel();
if (N.length) $('scroll').scrollLeft = (N[0].x + N[0].w / 2) * zoom - $('scroll').clientWidth / 2;
)PAGE";

class GraphPageData {
 public:
  GraphPageData(const Diagram& diagram, const Placement& placement) : diagram_(diagram), placement_(placement) {}

  std::string text() {
    out_.object([&] {
      out_.member("title", diagram_.title);
      strings("summary", diagram_.summary);
      out_.key("size").array([&] { out_.value(pixels(placement_.width)).value(pixels(placement_.height)); });
      out_.key("nodes").array([&] {
        for (std::size_t i = 0; i < diagram_.nodes.size(); ++i) node(diagram_.nodes[i], i);
      });
      out_.key("clusters").array([&] {
        for (std::size_t i = 0; i < diagram_.clusters.size(); ++i)
          cluster(diagram_.clusters[i], placement_.clusters[i]);
      });
      out_.key("links").array([&] {
        for (const PlacedLink& link : placement_.links) write_link(link);
      });
      out_.key("edges").array([&] {
        for (const DiagramEdge& edge : diagram_.edges)
          out_.array([&] { out_.value(edge.from).value(edge.to).value(edge.result); });
      });
    });
    return out_.text();
  }

 private:
  // To a tenth of a pixel.
  static double pixels(double value) { return std::round(value * 10) / 10; }

  void strings(std::string_view name, const std::vector<std::string>& all) {
    out_.key(name).array([&] {
      for (const std::string& one : all) out_.value(one);
    });
  }

  void parent(std::uint32_t cluster) {
    if (cluster == kNoCluster)
      out_.member("p", -1);
    else
      out_.member("p", cluster);
  }

  void place(const PlacedBox& box, const std::optional<DiagramTime>& time) {
    out_.member("x", pixels(box.at.x)).member("y", pixels(box.at.y));
    out_.member("w", pixels(box.width)).member("h", pixels(box.height));
    if (time) out_.member("ms", time->milliseconds).member("s", time->share);
  }

  void node(const DiagramNode& node, std::size_t i) {
    out_.object([&] {
      out_.member("k", static_cast<unsigned>(node.kind)).member("t", node.title).member("d", node.details);
      strings("l", node.lines);
      strings("r", node.results);
      out_.key("rx").array([&] {
        for (const Point& at : placement_.results[i]) out_.value(pixels(at.x));
      });
      out_.key("a").array([&] {
        for (const auto& [name, value] : node.attributes) out_.array([&] { out_.value(name).value(value); });
      });
      parent(node.cluster);
      place(placement_.nodes[i], node.time);
    });
  }

  void cluster(const DiagramCluster& cluster, const PlacedBox& box) {
    out_.object([&] {
      out_.member("t", cluster.title).member("d", cluster.details);
      if (cluster.block) out_.key("block").array([&] { out_.value(cluster.block->kind).value(cluster.block->index); });
      parent(cluster.parent);
      place(box, cluster.time);
    });
  }

  void write_link(const PlacedLink& link) {
    out_.object([&] {
      out_.member("f", link.from).member("r", link.result).member("n", link.ends_at_node);
      if (link.cluster == kNoCluster)
        out_.member("c", -1);
      else
        out_.member("c", link.cluster);
      out_.key("p").array([&] {
        for (const Point& point : link.points) out_.value(pixels(point.x)).value(pixels(point.y));
      });
    });
  }

  const Diagram& diagram_;
  const Placement& placement_;
  json::Writer out_{json::kCompact};
};

}  // namespace

Result<std::string> write_html(const Diagram& diagram) {
  Diagram blocks = diagram;
  group_blocks(blocks);
  const std::optional<Placement> placement = place_diagram(blocks);
  if (!placement) {
    return fail(DiagnosticKind::Unsupported, {},
                formatted("a diagram of {} operators and {} links is too large to be laid out; Graphviz may take it: "
                          "write a .dot file",
                          diagram.nodes.size(), diagram.edges.size()));
  }
  return write_page({.title = diagram.title + " \u2013 Slipway",
                     .style = kGraphStyle,
                     .body = kGraphBody,
                     .data = GraphPageData(blocks, *placement).text(),
                     .script = kGraphScript});
}

}  // namespace slipway::model
