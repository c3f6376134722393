// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cli/model/model_pages.hpp"

#include "base/text/page.hpp"
#include "json/writer.hpp"

namespace slipway::cli {
namespace {

constexpr std::string_view kPartitionStyle = R"PAGE(
.part { border: 1px solid var(--line); border-left: 4px solid var(--accent); border-radius: 6px; padding: 8px 12px; margin: 10px 0; overflow-x: auto; }
.part.COMPUTE { border-left-color: var(--warn); } .part.near { background: var(--panel); } .part.chosen { box-shadow: 0 0 0 2px var(--accent); }
.part h2 { margin: 0; font-size: 15px; cursor: pointer; } .part p { margin: 4px 0; } .part a { color: var(--accent); }
svg.map { width: 100%; height: auto; max-height: 420px; } svg.map text { font: 12px system-ui, sans-serif; fill: var(--fg); }
svg.map rect { fill: var(--panel); stroke: var(--accent); } svg.map .COMPUTE rect { stroke: var(--warn); } svg.map path { fill: none; stroke: var(--soft); }
svg.map g { cursor: pointer; }
)PAGE";

constexpr std::string_view kPartitionBody = R"PAGE(<main>
<h1 id="title"></h1>
<p class="soft" id="about"></p>
<div id="map"></div>
<div class="tools"><input id="search" type="search" placeholder="search operators and reasons" aria-label="search"></div>
<p class="soft" id="shown"></p>
<div id="parts"></div>
</main>
)PAGE";

constexpr std::string_view kPartitionScript = R"PAGE(
const parts = D.partitions.partitions;
document.title = D.file + ' \u2013 partitions \u2013 Slipway';
put($('title'), parts.length + (parts.length === 1 ? ' partition of ' : ' partitions of '), el('code', D.file));
const shaders = parts.filter(p => p.kind === 'COMPUTE').length;
$('about').textContent = D.partitions.nodes + ' operators: ' + (parts.length - shaders) + ' graph partitions, ' + shaders + ' shaders. A partition runs after those that it is connected with.';
parts.forEach((p, i) => { p.before = parts.map((q, j) => q.after.includes(i) ? j : -1).filter(j => j >= 0); p.row = Math.max(-1, ...p.after.map(j => parts[j].row)) + 1; });
const boxes = parts.map((p, i) => {
  const box = el('div', null, 'part ' + p.kind), links = (text, list) => list.length ? put(el('p', text, 'soft'), ...list.map(j => { const a = el('a', ' ' + j); a.href = '#p' + j; a.onclick = () => choose(j); return a; })) : '';
  box.id = 'p' + i;
  const head = el('h2', 'partition ' + i + ': ' + (p.kind === 'COMPUTE' ? 'a shader' : p.operators.length + ' operator' + (p.operators.length === 1 ? '' : 's')));
  head.onclick = () => choose(i);
  put(box, head, links('after partition', p.after), links('before partition', p.before), p.constants ? el('p', p.constants + (p.constants === 1 ? ' constant is' : ' constants are') + ' passed on at run time', 'soft') : '',
    table(['operator', 'level', 'why it is here'], p.operators.map(o => [el('code', o.name), o.level, el('span', o.reason, 'soft')]), [1]));
  $('parts').append(box);
  return box;
});
function choose(i) { boxes.forEach((b, j) => { b.classList.toggle('chosen', j === i); b.classList.toggle('near', j !== i && (parts[i].after.includes(j) || parts[i].before.includes(j))); }); boxes[i].scrollIntoView({ block: 'nearest' }); }
// The map: a row for each step, with arrows; only where it stays legible.
if (parts.length > 1 && parts.length <= 120) {
  const NS = 'http://www.w3.org/2000/svg', node = (tag, attributes, text) => { const e = document.createElementNS(NS, tag); for (const [k, v] of Object.entries(attributes)) e.setAttribute(k, v); if (text != null) e.textContent = text; return e; };
  const rows = []; parts.forEach((p, i) => (rows[p.row] = rows[p.row] || []).push(i));
  const wide = Math.max(...rows.map(r => r.length)), w = 110, h = 58, x = i => { const r = rows[parts[i].row]; return (wide - r.length) * w / 2 + r.indexOf(i) * w + 8; }, y = i => parts[i].row * h + 8;
  const svg = node('svg', { class: 'map', viewBox: '0 0 ' + (wide * w + 8) + ' ' + (rows.length * h + 8), style: 'max-width:' + (wide * w + 8) + 'px' });
  parts.forEach((p, i) => p.after.forEach(j => svg.append(node('path', { d: 'M' + (x(j) + 47) + ' ' + (y(j) + 32) + ' C' + (x(j) + 47) + ' ' + (y(j) + 48) + ' ' + (x(i) + 47) + ' ' + (y(i) - 16) + ' ' + (x(i) + 47) + ' ' + y(i) }))));
  parts.forEach((p, i) => { const g = node('g', { class: p.kind }); g.append(node('rect', { x: x(i), y: y(i), width: 94, height: 32, rx: 5 }), node('text', { x: x(i) + 47, y: y(i) + 20, 'text-anchor': 'middle' }, i + (p.kind === 'COMPUTE' ? ': shader' : ': ' + p.operators.length + ' op' + (p.operators.length === 1 ? '' : 's')))); g.onclick = () => choose(i); svg.append(g); });
  $('map').append(svg);
}
$('search').oninput = () => {
  const words = $('search').value.toLowerCase().split(/\s+/).filter(x => x);
  let count = 0;
  parts.forEach((p, i) => { const all = p.operators.map(o => o.name + ' ' + o.reason).join(' ').toLowerCase(); boxes[i].hidden = !words.every(t => all.includes(t)); count += !boxes[i].hidden; });
  $('shown').textContent = count === parts.length ? '' : count + ' of ' + parts.length;
};
)PAGE";

constexpr std::string_view kTuningStyle = R"PAGE(
.scroll { overflow-x: auto; } .scroll table { min-width: 900px; } .times { position: relative; width: 140px; height: 14px; } .times .bar { position: absolute; left: 0; }
.times .bar + .bar { top: 8px; background: var(--good); } td code { overflow-wrap: normal; }
)PAGE";

constexpr std::string_view kTuningBody = R"PAGE(<main>
<h1 id="title"></h1>
<p class="soft" id="about"></p>
<div class="tools"><input id="search" type="search" placeholder="search kernels and parameters" aria-label="search">
<select id="sort" aria-label="order"><option value="saved">most time saved first</option><option value="time">longest first</option><option value="order">order of the model</option></select></div>
<div id="models"></div>
</main>
)PAGE";

constexpr std::string_view kTuningScript = R"PAGE(
const ms = x => time(x / 1e3), words = p => Object.entries(p).map(([k, v]) => k + ' ' + v).join(', '), saved = k => k.estimated_ms - k.best_ms;
const before = D.models.reduce((a, m) => a + m.report.before_ms, 0), after = D.models.reduce((a, m) => a + m.report.after_ms, 0);
document.title = 'Tuning \u2013 Slipway';
$('title').textContent = D.models.length ? ms(before) + ' before, ' + ms(after) + ' now (' + (after > before ? '+' : '') + (before > 0 ? (after - before) / before * 100 : 0).toFixed(1).replace('-', '\u2212') + ' %)' : 'nothing was measured';
$('title').className = after < before ? 'good' : '';
$('about').textContent = [[...new Set(D.models.map(m => m.device))].join(', '), 'runs with other parameters: ' + D.models.reduce((a, m) => a + m.report.rounds, 0)].join(' \u00b7 ');
function list() {
  const wanted = $('search').value.toLowerCase().split(/\s+/).filter(x => x), order = $('sort').value;
  $('models').replaceChildren(...D.models.map(m => {
    const all = m.report.kernels.filter(k => wanted.every(w => (k.kernel + ' ' + words(k.best) + ' ' + words(k.estimated)).toLowerCase().includes(w)));
    if (order === 'saved') all.sort((a, b) => saved(b) - saved(a));
    if (order === 'time') all.sort((a, b) => b.best_ms - a.best_ms);
    const top = Math.max(1e-12, ...m.report.kernels.map(k => k.estimated_ms)), better = m.report.kernels.filter(k => words(k.best) !== words(k.estimated)).length;
    const rows = all.map(k => {
      const is = words(k.best) !== words(k.estimated), bars = el('div', null, 'times');
      for (const t of is ? [k.estimated_ms, k.best_ms] : [k.estimated_ms]) { const b = el('div', null, 'bar'); b.style.width = 100 * t / top + '%'; bars.append(b); }
      return [el('code', k.kernel), bars, ms(k.estimated_ms), is ? el('span', ms(k.best_ms), 'good') : '\u2013', is ? '\u2212' + (saved(k) / k.estimated_ms * 100).toFixed(0) + ' %' : '', k.candidates, put(el('span'), el('code', words(is ? k.best : k.estimated)), is ? el('div', 'estimated: ' + words(k.estimated), 'soft') : el('div', 'as estimated', 'soft'))];
    });
    return put(el('section'), put(el('h2'), el('code', m.file)), el('p', better + ' of ' + m.report.kernels.length + ' kernels are better than estimated: ' + ms(m.report.before_ms) + ' before, ' + ms(m.report.after_ms) + ' now', 'soft'),
      put(el('div', null, 'scroll'), table(['kernel', '', 'estimate', 'best', '', 'tried', 'parameters'], rows, [2, 3, 4, 5])));
  }));
}
$('search').oninput = list; $('sort').onchange = list; list();
)PAGE";

}  // namespace

std::string partition_page(std::string_view file, const std::string& partitions) {
  json::Writer out(json::kCompact);
  out.object([&] { out.member("file", file).key("partitions").raw(partitions); });
  return write_page({.title = "Partitions \u2013 Slipway",
                     .style = kPartitionStyle,
                     .body = kPartitionBody,
                     .data = out.text(),
                     .script = kPartitionScript});
}

std::string tuning_page(std::span<const TunedModel> models) {
  json::Writer out(json::kCompact);
  out.object([&] {
    out.key("models").array([&] {
      for (const TunedModel& model : models) {
        out.object(
            [&] { out.member("file", model.file).member("device", model.device).key("report").raw(model.report); });
      }
    });
  });
  return write_page({.title = "Tuning \u2013 Slipway",
                     .style = kTuningStyle,
                     .body = kTuningBody,
                     .data = out.text(),
                     .script = kTuningScript});
}

}  // namespace slipway::cli
