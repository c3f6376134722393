// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cli/zebin/diff_page.hpp"

#include <string_view>

#include "base/text/page.hpp"

namespace slipway::cli {
namespace {

constexpr std::string_view kDiffStyle = R"PAGE(
.case > button { grid-template-columns: 7.5em 1fr; }
.delta { white-space: nowrap; } .delta + .delta { margin-left: 1.2em; }
.scroll { overflow-x: auto; }
)PAGE";

constexpr std::string_view kDiffBody = R"PAGE(<main>
<h1 id="title"></h1>
<p class="soft" id="about"></p>
<div class="chips" id="chips"></div>
<section id="failed" hidden><h2>Exceeded thresholds</h2><div></div></section>
<section id="file" hidden><h2>Files</h2><div></div></section>
<section id="totals" hidden><h2>All kernels together</h2><div class="scroll"></div></section>
<h2>Kernels that differ</h2>
<div class="tools"><input id="search" type="search" placeholder="search files, devices, kernels, fields" aria-label="search">
<select id="sort" aria-label="order"><option value="verdict">worse first</option><option value="name">by name</option></select></div>
<p class="soft" id="shown"></p>
<div id="cases"></div>
</main>
)PAGE";

constexpr std::string_view kDiffScript = R"PAGE(
const kinds = { worse: 'bad', mixed: 'warn', different: 'skip', better: 'good', added: 'skip', removed: 'warn' };
const larger_is_better = ['threads', 'occupancy'], smaller_is_better = ['spill', 'scratch', 'private', 'slm', 'code', 'instructions', 'sends'];
const bytes = ['spill', 'scratch', 'private', 'slm', 'code', 'cross_thread', 'inline', 'per_thread'];
const number = x => typeof x === 'number', sign = x => (x > 0 ? '+' : x < 0 ? '\u2212' : '') + Math.abs(x).toLocaleString('en');
const shown_value = (field, x) => number(x) ? x.toLocaleString('en') + (bytes.includes(field) ? ' B' : '') : x || '\u2013';
function direction(c) {
  if (!number(c.from) || !number(c.to)) return '';
  if (larger_is_better.includes(c.field)) return c.to > c.from ? 'good' : 'bad';
  if (smaller_is_better.includes(c.field)) return c.to < c.from ? 'good' : 'bad';
  return '';
}
const share = c => number(c.from) && number(c.to) && c.from !== 0 ? sign(Math.round((c.to - c.from) / c.from * 1000) / 10) + ' %' : '';
const count = v => D.kernels.filter(k => k.verdict === v).length;
document.title = D.a + ' \u2192 ' + D.b + ' \u2013 Slipway';
const worse = count('worse') + count('mixed');
const unpaired = [count('added') && count('added') + ' added', count('removed') && count('removed') + ' removed'].filter(x => x).join(', ');
$('title').textContent = D.equal ? 'No kernel differs' : (!D.compared ? 'No kernel is in both' : worse ? worse + (worse === 1 ? ' kernel is' : ' kernels are') + ' worse in some way' : 'No kernel is worse') + (unpaired ? ': ' + unpaired : '');
$('title').className = worse || D.exceeded.length ? 'bad' : count('removed') || !D.compared ? 'warn' : 'good';
put($('about'), 'from ', el('code', D.a), ' to ', el('code', D.b), ' \u00b7 ' + D.compared + (D.compared === 1 ? ' kernel' : ' kernels') + ' in both, ' + D.equal_kernels + ' equal');
let group = null;
for (const v of Object.keys(kinds)) {
  if (!count(v)) continue;
  const b = put(el('button', null, 'chip'), el('b', count(v), kinds[v]), ' ' + v);
  b.setAttribute('aria-pressed', false);
  b.onclick = () => { group = group === v ? null : v; document.querySelectorAll('.chip').forEach(x => x.setAttribute('aria-pressed', x === b && group !== null)); list(); };
  $('chips').append(b);
}
if (D.exceeded.length) { $('failed').hidden = false; D.exceeded.forEach(x => $('failed').lastElementChild.append(el('pre', x))); }
const changes = list => table(['field', 'before', 'after', 'change'], list.map(c => [c.field, el('span', shown_value(c.field, c.from), 'file'), el('span', shown_value(c.field, c.to), 'file'), el('span', share(c), direction(c))]), [3]);
if (D.file.length) { $('file').hidden = false; $('file').lastElementChild.append(changes(D.file)); }
if (D.totals.length) {
  $('totals').hidden = false;
  $('totals').lastElementChild.append(table(['sum of', 'before', 'after', 'change', 'geometric mean', 'smaller in', 'larger in'], D.totals.map(t => {
    const c = { field: t.field, from: t.before, to: t.after };
    return [t.field, shown_value(t.field, t.before), shown_value(t.field, t.after), el('span', share(c) || sign(t.after - t.before), t.before === t.after ? '' : direction(c)), t.ratio ? '\u00d7' + t.ratio.toFixed(3) : '', t.smaller, t.larger];
  }), [1, 2, 3, 4, 5, 6]));
}
D.kernels.forEach((k, i) => { k.i = i; k.all = [k.name, k.path, k.device, k.verdict, ...k.changes.map(c => c.field)].join(' ').toLowerCase(); });
function row(k) {
  const box = el('div', null, 'case'), b = el('button'), why = el('span', null, 'why');
  put(b, el('span', k.verdict, kinds[k.verdict]), put(el('span', null, 'file'), el('b', k.name), el('span', ' ' + [k.device === 'unknown' ? '' : k.device, k.path].filter(x => x).join(' \u00b7 '), 'soft')), why);
  for (const c of k.changes.slice(0, 6)) {
    if (c.field === 'added' || c.field === 'removed') continue;
    const numbers = number(c.from) && number(c.to);
    why.append(put(el('span', null, 'delta'), c.field + ' ' + (numbers ? c.from.toLocaleString('en') + ' \u2192 ' : ''), el('span', numbers ? c.to.toLocaleString('en') : 'differs', direction(c))));
  }
  return opening(box, b, [k.path, k.device, k.name].join(' '), () => put(el('div', null, 'in'), changes(k.changes)));
}
function list() {
  const words = $('search').value.toLowerCase().split(/\s+/).filter(x => x);
  const shown = D.kernels.filter(k => (!group || k.verdict === group) && words.every(w => k.all.includes(w)));
  if ($('sort').value === 'name') shown.sort((a, b) => (a.name > b.name) - (a.name < b.name) || a.i - b.i);
  $('shown').textContent = D.kernels.length === 0 ? 'none' : shown.length === D.kernels.length ? '' : shown.length + ' of ' + D.kernels.length;
  $('cases').replaceChildren(...shown.map(row));
}
$('search').oninput = list; $('sort').onchange = list; list(); open_named();
)PAGE";

}  // namespace

std::string diff_page(const std::string& document) {
  return write_page({.title = "Differences of kernels \u2013 Slipway",
                     .style = kDiffStyle,
                     .body = kDiffBody,
                     .data = document,
                     .script = kDiffScript});
}

}  // namespace slipway::cli
