// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cli/lab/results/page_parts.hpp"

namespace slipway::cli {
namespace {

constexpr std::string_view kPageBody = R"PAGE(<main>
<h1 id="title"></h1>
<p class="soft" id="about"></p>
<div class="chips" id="chips"></div>
<section id="changed" hidden><h2>What changed</h2><div></div></section>
<div class="tools"><input id="search" type="search" placeholder="search files, messages, devices" aria-label="search">
<select id="sort" aria-label="order"><option value="bad">not ok first</option><option value="order">order of the run</option><option value="slow">slowest first</option></select></div>
<p class="soft" id="shown"></p>
<div id="cases"></div>
<h2>How fast</h2><div class="cols" id="times"></div>
<section id="kernels" hidden><h2>Commands on the device</h2><div></div></section>
<h2>Timeline</h2><p class="soft">One row for each worker. The wheel zooms, dragging moves, a double click shows everything.</p>
<canvas id="line" height="120"></canvas><p class="soft" id="tip"></p>
<h2>Runs</h2><div id="runs"></div>
</main>
)PAGE";

constexpr std::string_view kPageScript = R"PAGE(
const kind = { passed: 'good', ran: 'good', failed: 'bad', 'partly-compared': 'bad', error: 'bad', crashed: 'bad', 'timed-out': 'bad', skipped: 'skip', 'not-run': 'skip' };
const isBad = c => !c.ok && c.verdict !== 'not-run';
const colour = c => c.ok && kind[c.verdict] === 'bad' ? 'warn' : isBad(c) && kind[c.verdict] === 'good' ? 'bad' : kind[c.verdict];
const label = c => (isBad(c) && kind[c.verdict] === 'good' ? 'unexpected ' : '') + c.verdict;
// --- head
const bad = D.cases.filter(isBad).length, total = D.cases.reduce((a, c) => a + c.seconds, 0);
const counted = n => n + (n === 1 ? ' case' : ' cases'), gone = D.baseline ? D.baseline.changes.filter(c => c[0] === 'missing').length : 0;
$('title').textContent = (bad ? bad + ' of ' + counted(D.cases.length) + (bad === 1 ? ' is' : ' are') + ' not ok' : D.cases.length ? counted(D.cases.length) + ', all ok' : 'no case') + (gone ? ', ' + counted(gone) + ' missing' : '');
$('title').className = bad ? 'bad' : gone || !D.cases.length ? 'warn' : 'good';
document.title = $('title').textContent + ' \u2013 Slipway';
const used = D.devices.filter(d => d).map(d => d.replace('\n', ', driver '));
$('about').textContent = [D.runs.length ? D.runs[D.runs.length - 1].started.replace('T', ' ').replace('Z', ' UTC') : '', used.join('; '), 'slipway ' + D.version, time(total) + ' in all cases'].filter(x => x).join(' \u00b7 ');
const groups = [['not ok', isBad, 'bad']], seen = new Set(D.cases.map(c => c.verdict));
for (const v of ['passed', 'ran', 'failed', 'partly-compared', 'error', 'crashed', 'timed-out', 'skipped', 'not-run']) if (seen.has(v)) groups.push([v, c => c.verdict === v, kind[v]]);
if (D.cases.some(c => c.expected)) groups.push(['expected', c => c.expected && c.ok, 'warn']);
if (D.cases.some(c => c.attempts)) groups.push(['flaky', c => c.attempts, 'warn']);
let group = null;
groups.forEach(g => {
  const b = put(el('button', null, 'chip'), el('b', D.cases.filter(g[1]).length, g[2]), ' ' + g[0]);
  b.setAttribute('aria-pressed', false);
  b.onclick = () => { group = group === g ? null : g; document.querySelectorAll('.chip').forEach(x => x.setAttribute('aria-pressed', x === b && group !== null)); list(); };
  $('chips').append(b);
});
// --- changes
if (D.baseline) {
  const box = $('changed'), all = D.baseline.changes, names = { worse: 'bad', better: 'good', slower: 'warn', faster: 'good', missing: 'warn', new: 'skip' };
  box.hidden = false;
  const count = {}; all.forEach(c => count[c[0]] = (count[c[0]] || 0) + 1);
  const rows = all.slice(0, 100).map(c => [el('span', c[0], names[c[0]]), el('span', c[1], 'file'), c[2], c[3]]);
  put(box.lastElementChild, el('p', (all.length ? Object.entries(count).map(([k, n]) => n + ' ' + k).join(', ') : 'no case') + ', against ' + counted(D.baseline.cases) + ' of ' + D.baseline.started.replace('T', ' ').replace('Z', ' UTC') + '.', 'soft'));
  if (rows.length) box.lastElementChild.append(table(['change', 'case', 'before', 'now'], rows, [2, 3]));
  if (all.length > 100) box.lastElementChild.append(el('p', 'and ' + (all.length - 100) + ' more', 'soft'));
}
// --- cases
D.cases.forEach((c, i) => { c.i = i; c.all = (c.file + ' ' + c.format + ' ' + D.devices[c.device] + ' ' + c.verdict + ' ' + c.errors.map(e => e.join(' ')).join(' ')).toLowerCase(); });
const worst = Math.max(1e-9, ...D.cases.map(c => c.seconds));
function why(c) {
  const e = c.errors.find(x => x[0] === 'error'), x = c.expectations.find(x => !x[1]);
  let text = e ? (e[3] && !e[3].startsWith(c.file) ? e[3] + ': ' : e[3].includes(':') ? e[3].slice(c.file.length + 1) + ': ' : '') + e[2] : '';
  if (!e && x) text = "'" + x[0] + "': " + x[3] + ' of ' + x[2] + ' elements differ';
  if (c.expected) text += (text ? ' \u2013 ' : '') + 'expected: ' + c.expected + (c.reason ? ' (' + c.reason + ')' : '');
  if (c.attempts) text += (text ? ' \u2013 ' : '') + 'attempt ' + c.attempts;
  return text;
}
function bars(rows, factor) {
  const top = Math.max(1e-9, ...rows.map(r => r[1]));
  return table(['', '', 'time', 'count'], rows.map(r => { const b = el('div', null, 'bar'); b.style.width = (100 * r[1] / top) + 'px'; return [el('code', D.names[r[0]]), b, time(r[1] * factor), r[2]]; }), [2, 3]);
}
// Expected, actual and difference of an array. A view has one picture at a time; the slider divides or amplifies it.
function heat(v) { return [Math.min(255, v * 3), Math.max(0, Math.min(255, v * 3 - 255)), Math.max(0, v * 3 - 510)]; }
function viewer(x) {
  const v = x[7], [want, got, diff] = v.pictures.map(p => Uint8Array.from(atob(p), s => s.charCodeAt(0)));
  const box = el('div', null, 'view'), left = el('div'), right = el('div'), chips = el('div', null, 'chips'), picture = el('canvas'), slider = el('input'), text = el('span'), row = put(el('label'), text, slider);
  picture.width = v.width; picture.height = v.height; slider.type = 'range';
  picture.setAttribute('role', 'img');
  let mode = 'difference';
  const draw = () => {
    const image = new ImageData(v.width, v.height), at = +slider.value;
    for (let i = 0; i < v.width * v.height; ++i) {
      const from = mode === 'expected' || mode === 'slide' && i % v.width < at ? want : got;
      const c = mode === 'difference' ? heat(Math.min(255, diff[i] * 2 ** at)) : v.channels === 3 ? [from[3 * i], from[3 * i + 1], from[3 * i + 2]] : [from[i], from[i], from[i]];
      image.data.set([c[0], c[1], c[2], 255], 4 * i);
    }
    picture.getContext('2d').putImageData(image, 0, 0);
    picture.setAttribute('aria-label', mode + ' of ' + x[0]);
    row.hidden = mode === 'expected' || mode === 'actual'; row.style.display = row.hidden ? 'none' : '';
    text.textContent = mode === 'difference' ? 'amplified ' + 2 ** at + ' times' : 'expected left, actual right';
  };
  const choose = m => {
    mode = m; slider.min = 0; slider.max = m === 'difference' ? 8 : v.width; slider.value = m === 'difference' ? 0 : v.width / 2;
    [...chips.children].forEach(b => b.setAttribute('aria-pressed', b.textContent === m)); draw();
  };
  for (const m of ['expected', 'actual', 'difference', 'slide']) { const b = el('button', m, 'chip'); b.onclick = () => choose(m); chips.append(b); }
  picture.onclick = () => { if (mode === 'expected' || mode === 'actual') choose(mode === 'expected' ? 'actual' : 'expected'); };
  slider.oninput = draw; choose('difference');
  const each = v.rows > v.height || v.columns > v.width ? '; each cell shows its element with the largest difference' : '';
  put(left, put(el('b'), el('code', x[0])), chips, picture, row, el('p', v.columns + ' x ' + v.rows + (v.channels === 3 ? ' pixels' : ' values') + ', black is ' + +v.low.toPrecision(4) + ', white is ' + +v.high.toPrecision(4) + each, 'soft'));
  const top = Math.max(...v.decades.map(d => d[1]));
  right.append(el('b', 'Differences'), table(['magnitude', '', 'elements'], v.decades.map(d => { const b = el('div', null, 'bar'); b.style.width = 100 * d[1] / top + 'px'; return [(d[0] === -12 ? 'below 1e-11' : d[0] === 12 ? '1e12 and more' : '1e' + d[0] + ' to 1e' + (d[0] + 1)), b, d[1]]; }), [2]));
  right.append(table(['worst elements', 'got', 'expected', 'difference'], v.worst.map(w => [el('code', w[0]), el('code', w[1]), el('code', w[2]), w[3] == null ? 'NaN' : +w[3].toPrecision(4)]), [1, 2, 3]));
  return put(box, left, right);
}
// The executions of a recipe's profile, its runs and its comparisons.
function recipe(r) {
  const box = el('div'), head = t => put(el('p'), el('b', t)), us = x => x == null ? '\u2013' : time(x / 1e6), list = r.executions || (r.execution ? [r.execution] : []), wide = t => { const s = el('div'); s.style.cssText = 'overflow-x:auto;white-space:nowrap'; return put(s, t); };
  if (r.job) box.append(put(el('p'), 'job ', el('code', r.job)));
  if (list.length) {
    // From the minimum to the maximum, with the median. A single iteration is mostly its preparation.
    const many = list.filter(e => e.samples && e.samples.count > 1), top = Math.max(1e-9, ...(many.length ? many : list).map(e => e.samples ? e.samples.max : 0));
    const spread = s => { if (!s || many.length && s.count < 2) return ''; const b = el('div'), l = el('div', null, 'bar'), m = el('div'); b.style.cssText = 'position:relative;width:140px;height:12px'; l.style.cssText = 'position:absolute;top:4px;left:' + 100 * s.min / top + '%;width:' + Math.max(1, 100 * (s.max - s.min) / top) + '%;opacity:.4'; m.style.cssText = 'position:absolute;top:0;width:2px;height:12px;background:var(--fg);left:' + 100 * s.p50 / top + '%'; b.title = 'minimum, median, maximum'; return put(b, l, m); };
    box.append(head('Executions of the profile'), wide(table(['execution', 'mode', 'depth', 'iterations', '', 'median', 'p90', 'p99', 'maximum', 'mean', 'deviation', 'per second'], list.map(e => { const s = e.samples || {}; return [el('code', e.name), e.mode || '', e.depth == null ? '' : e.depth, e.iterations, spread(e.samples), us(s.p50), us(s.p90), us(s.p99), us(s.max), us(s.mean), us(s.stddev), e.cpu.throughput == null ? '' : e.cpu.throughput]; }), [2, 3, 5, 6, 7, 8, 9, 10, 11])));
  }
  const runs = r.runs || [], longest = Math.max(1e-9, ...runs.map(x => x.mean_us || 0));
  if (runs.length) box.append(head('Runs'), wide(table(['run', 'kernel', 'on', 'status', 'count', '', 'mean', 'sum'], runs.map(x => { const b = el('div', null, 'bar'); b.style.width = 100 * (x.mean_us || 0) / longest + 'px'; return [el('code', x.id), el('code', x.kernel), x.backend || x.where, el('span', x.status, x.status === 'ok' ? 'good' : x.status === 'skipped' ? 'skip' : 'bad'), x.count, x.mean_us == null ? '' : b, us(x.mean_us), us(x.total_us)]; }), [4, 6, 7])));
  if (runs.length && runs.every(x => x.mean_us == null)) box.append(el('p', '--timings measures each run.', 'soft'));
  if (r.validation) box.append(head('Comparisons with golden data'), table(['buffer', '', 'bytes that differ', 'first'], r.validation.map(v => [el('code', v.buffer), el('span', v.ok ? 'ok' : 'FAILED', v.ok ? 'good' : 'bad'), v.mismatches, v.first == null ? '\u2013' : v.first]), [2, 3]));
  const s = r.resources;
  if (s) box.append(el('p', [s.buffers + ' buffers with ' + s.total_buffer_size.toLocaleString('en') + ' bytes', s.kernels + ' kernels', s.runs + ' runs', ...s.runlists.map(l => 'a list of ' + l.runs + ' on ' + l.kind)].join(' \u00b7 '), 'soft'));
  return box;
}
function details(c) {
  const d = el('div', null, 'in');
  if (c.text) d.append(el('pre', c.text));
  else c.errors.forEach(e => d.append(el('pre', (e[3] ? e[3] + ': ' : '') + e[0] + ': ' + e[2] + ' [' + e[1] + ']')));
  if (c.expectations.length) d.append(table(['expectation', '', 'elements', 'differ', 'max abs', 'max rel', 'max ulp'], c.expectations.map(x => [el('code', x[0]), el('span', x[1] ? 'ok' : 'FAILED', x[1] ? 'good' : 'bad'), ...x.slice(2, 7).map(v => v == null ? '\u2013' : typeof v === 'number' && !Number.isInteger(v) ? v.toPrecision(3) : v)]), [2, 3, 4, 5, 6]));
  c.expectations.filter(x => x[7]).forEach(x => d.append(viewer(x)));
  (c.recipes || []).forEach(r => d.append(recipe(r)));
  d.append(el('p', [D.devices[c.device] ? 'on ' + D.devices[c.device].replace('\n', ', driver ') : '', 'worker ' + c.worker, 'at ' + time(c.at)].filter(x => x).join(' \u00b7 '), 'soft'));
  const cols = el('div', null, 'cols');
  if (c.gpu.length) cols.append(put(el('div'), el('b', 'Commands on the device'), bars(c.gpu, 1e-6)));
  if (c.host.length) cols.append(put(el('div'), el('b', 'Stages on the CPU'), bars(c.host.slice(0, 20), 1e-6)));
  d.append(cols);
  return d;
}
function row(c) {
  const box = el('div', null, 'case'), b = el('button');
  b.append(el('span', label(c), colour(c)), el('span', c.file, 'file'), el('span', c.format, 'soft format'), el('span', time(c.seconds), 'n'));
  const w = why(c); if (w) b.append(el('span', w, 'why'));
  return opening(box, b, c.file, () => details(c));
}
let shown = [], next = 0;
const more = new IntersectionObserver(e => { if (e[0].isIntersecting) add(); });
function add() {
  const part = document.createDocumentFragment(), end = Math.min(next + 200, shown.length);
  for (; next < end; ++next) part.append(row(shown[next]));
  $('cases').append(part); more.disconnect();
  if (next < shown.length) more.observe($('cases').lastElementChild);
}
function list() {
  const words = $('search').value.toLowerCase().split(/\s+/).filter(x => x), order = $('sort').value;
  shown = D.cases.filter(c => (!group || group[1](c)) && words.every(w => c.all.includes(w)));
  if (order === 'bad') shown.sort((a, b) => isBad(b) - isBad(a) || a.i - b.i);
  if (order === 'slow') shown.sort((a, b) => b.seconds - a.seconds);
  $('shown').textContent = shown.length === D.cases.length ? '' : shown.length + ' of ' + counted(D.cases.length);
  $('cases').replaceChildren(); next = 0; add();
}
$('search').oninput = list; $('sort').onchange = list;
// page.html#FILE opens the case of a file.
if (named) $('search').value = named;
list();
if (named && shown.length) $('cases').firstElementChild.firstElementChild.click();
// --- times
const sorted = D.cases.map(c => c.seconds).sort((a, b) => a - b), at = p => sorted[Math.min(sorted.length - 1, Math.floor(p * sorted.length))] || 0;
$('times').append(table(['percentile', 'time of a case'], [['50 (median)', time(at(.5))], ['90', time(at(.9))], ['99', time(at(.99))], ['maximum', time(at(1))], ['sum', time(total)]], [1]));
const sampled = D.cases.flatMap(c => (c.samples || []).map(s => [c, s])).sort((a, b) => b[1][2] - a[1][2]).slice(0, 200), longestRun = Math.max(1e-12, ...sampled.map(s => s[1][2]));
if (sampled.length) {
  const scroll = el('div'); scroll.style.overflowX = 'auto';
  const cells = ([c, s]) => { const b = el('div', null, 'bar'); b.style.width = 100 * s[2] / longestRun + 'px'; return [el('span', c.file + (s[0] ? ' (' + s[0] + ')' : ''), 'file'), b, s[1], ...s.slice(2, 7).map(time), s[7].toFixed(1) + ' %', c.state || '']; };
  $('times').after(el('h2', 'Single runs'), put(scroll, table(['case', '', 'runs', 'median', 'p95', 'p99', 'minimum', 'maximum', 'spread', ''], sampled.map(cells), [2, 3, 4, 5, 6, 7, 8])));
}
$('times').append(table(['slowest cases', '', ''], [...D.cases].sort((a, b) => b.seconds - a.seconds).slice(0, 8).map(c => { const b = el('div', null, 'bar'); b.style.width = (100 * c.seconds / worst) + 'px'; return [el('span', c.file, 'file'), b, time(c.seconds)]; }), [2]));
const sums = new Map();
D.cases.forEach(c => c.gpu.forEach(g => { const s = sums.get(g[0]) || [g[0], 0, 0]; s[1] += g[1]; s[2] += g[2]; sums.set(g[0], s); }));
if (sums.size) { $('kernels').hidden = false; $('kernels').lastElementChild.append(bars([...sums.values()].sort((a, b) => b[1] - a[1]).slice(0, 30), 1e-6)); }
// --- timeline
const lanes = [...new Set(D.cases.map(c => c.run + '/' + c.worker))], canvas = $('line'), end = Math.max(1e-6, ...D.cases.map(c => c.at + c.seconds));
let from = 0, to = end;
const laneHeight = 18;
function draw() {
  const css = getComputedStyle(document.documentElement), ratio = devicePixelRatio || 1, w = canvas.clientWidth, h = Math.min(600, lanes.length * laneHeight + 22);
  canvas.style.height = h + 'px'; canvas.width = w * ratio; canvas.height = h * ratio;
  const g = canvas.getContext('2d'); g.scale(ratio, ratio); g.font = '11px system-ui'; g.clearRect(0, 0, w, h);
  const x = t => (t - from) / (to - from) * w, step = Math.pow(10, Math.floor(Math.log10((to - from) / 4)));
  g.fillStyle = css.getPropertyValue('--soft');
  for (let t = Math.ceil(from / step) * step; t < to; t += step * ((to - from) / step > 12 ? 5 : 1)) { g.fillRect(x(t), 0, 1, 4); g.fillText(time(Math.max(t, 0)), x(t) + 3, 11); }
  for (const c of D.cases) {
    const a = x(c.at), b = x(c.at + c.seconds);
    if (b < 0 || a > w) continue;
    g.fillStyle = css.getPropertyValue('--' + colour(c));
    g.fillRect(a, 18 + lanes.indexOf(c.run + '/' + c.worker) * laneHeight, Math.max(1, b - a - .5), laneHeight - 3);
  }
}
canvas.addEventListener('wheel', e => { e.preventDefault(); const p = from + (to - from) * e.offsetX / canvas.clientWidth, f = e.deltaY < 0 ? .8 : 1.25; from = Math.max(0, p - (p - from) * f); to = Math.min(end, p + (to - p) * f); draw(); }, { passive: false });
canvas.ondblclick = () => { from = 0; to = end; draw(); };
canvas.onpointermove = e => {
  const scale = (to - from) / canvas.clientWidth;
  if (e.buttons) { const d = Math.max(-from, Math.min(end - to, -e.movementX * scale)); from += d; to += d; draw(); return; }
  const t = from + e.offsetX * scale, lane = lanes[Math.floor((e.offsetY - 18) / laneHeight)];
  const c = D.cases.find(c => c.run + '/' + c.worker === lane && c.at - scale * 2 <= t && t <= c.at + c.seconds + scale * 2);
  $('tip').textContent = c ? c.file + ': ' + label(c) + ', ' + time(c.seconds) : '';
};
addEventListener('resize', draw); matchMedia('(prefers-color-scheme: dark)').addEventListener('change', draw); draw();
// --- runs
$('runs').append(table(['started', 'machine', 'command'], D.runs.map(r => [r.started.replace('T', ' ').replace('Z', ''), r.host + (r.shard ? ', shard ' + r.shard : ''), put(el('div'), el('code', r.command), el('div', 'in ' + r.directory + ', slipway ' + r.slipway, 'soft'))]), []));
)PAGE";

}  // namespace

std::string_view page_body() { return kPageBody; }
std::string_view page_script() { return kPageScript; }

}  // namespace slipway::cli
