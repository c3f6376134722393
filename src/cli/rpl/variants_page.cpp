// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cli/rpl/variants_page.hpp"

#include "base/text/page.hpp"
#include "json/writer.hpp"

namespace slipway::cli {
namespace {

constexpr std::string_view kVariantsStyle = R"PAGE(
.case > button { grid-template-columns: 3em 1fr 7em; } .scroll { overflow-x: auto; } .scroll code { white-space: nowrap; }
.value { display: inline-block; padding: 0 8px; margin: 0 6px 4px 0; border: 1px solid var(--line); border-radius: 4px; background: var(--panel); white-space: nowrap; }
)PAGE";

constexpr std::string_view kVariantsBody = R"PAGE(<main>
<h1 id="title"></h1>
<p class="soft" id="about"></p>
<pre id="summary"></pre>
<div class="cols"><section><h2>Options</h2><p class="soft">How many classes depend on an option: it is part of what selects them.</p><div class="scroll" id="options"></div></section>
<section><h2>Modules</h2><p class="soft">The same module serves several classes if their code is equal.</p><div class="scroll" id="modules"></div></section></div>
<h2>Classes</h2><p class="soft">Assignments of options with equal outputs.</p>
<div class="tools"><input id="search" type="search" placeholder="search options, values, files" aria-label="search"></div>
<p class="soft" id="shown"></p>
<div id="cases"></div>
</main>
)PAGE";

constexpr std::string_view kVariantsScript = R"PAGE(
const classes = D.variants.classes, count = n => n.toLocaleString('en'), value = v => typeof v === 'string' ? v : String(v);
document.title = D.files[0] + ' \u2013 variants \u2013 Slipway';
$('title').textContent = count(D.variants.assignments) + ' assignments, ' + classes.length + (classes.length === 1 ? ' result' : ' different results');
put($('about'), ...D.files.flatMap((f, i) => [i ? ', ' : '', el('code', f)]), ' \u00b7 ' + D.modules.length + ' modules, ' + count(D.modules.reduce((a, m) => a + m.bytes, 0)) + ' bytes');
$('summary').textContent = D.summary;
const options = new Map();
classes.forEach((c, i) => c.when.forEach(w => Object.entries(w).forEach(([k, v]) => { const o = options.get(k) || { classes: new Set(), values: new Set() }; o.classes.add(i); o.values.add(value(v)); options.set(k, o); })));
const bar = (share, text) => { const b = el('div', null, 'bar'); b.style.width = 100 * share + 'px'; b.title = text; return b; };
$('options').append(options.size ? table(['option', 'values', '', 'classes'], [...options].sort((a, b) => b[1].classes.size - a[1].classes.size).map(([k, o]) => [el('code', k), [...o.values].sort().join(', '), bar(o.classes.size / classes.length, k), o.classes.size]), [3]) : el('p', 'no option changes a result'));
const largest = Math.max(1, ...D.modules.map(m => m.bytes)), uses = f => classes.filter(c => Object.values(c.code).includes(f)).length;
$('modules').append(table(['file', 'stages', '', 'bytes', 'classes'], [...D.modules].sort((a, b) => b.bytes - a.bytes).map(m => [el('code', m.file), [...new Set(classes.flatMap(c => Object.entries(c.code).filter(e => e[1] === m.file).map(e => e[0])))].join(', '), bar(m.bytes / largest, m.file), count(m.bytes), uses(m.file)]), [3, 4]));
classes.forEach((c, i) => { c.i = i; c.all = (c.when.map(w => Object.entries(w).map(([k, v]) => k + '=' + value(v)).join(' ')).join(' ') + ' ' + c.metadata + ' ' + Object.values(c.code).join(' ')).toLowerCase(); });
const assignment = w => { const e = Object.entries(w), box = el('div'); e.forEach(([k, v]) => box.append(el('span', k + ' = ' + value(v), 'value'))); if (!e.length) box.append(el('span', 'any assignment', 'soft')); return box; };
function row(c) {
  const box = el('div', null, 'case'), b = el('button'), first = Object.entries(c.when[0] || {}).map(([k, v]) => k + '=' + value(v)).join(' ');
  put(b, el('span', c.i, 'soft'), el('span', first || 'any assignment', 'file'), el('span', c.when.length === 1 ? '' : 'and ' + (c.when.length - 1) + ' more', 'n soft'));
  return opening(box, b, first || 'any assignment', () => put(el('div', null, 'in'), ...c.when.map(assignment), table(['output', 'file'], [...Object.entries(c.code).map(([s, f]) => [s, el('code', f)]), ['metadata', el('code', c.metadata)]], [])));
}
function list() {
  const words = $('search').value.toLowerCase().split(/\s+/).filter(x => x), shown = classes.filter(c => words.every(w => c.all.includes(w)));
  $('shown').textContent = shown.length === classes.length ? '' : shown.length + ' of ' + classes.length;
  $('cases').replaceChildren(...shown.map(row));
}
$('search').oninput = list; list(); open_named();
)PAGE";

}  // namespace

std::string variants_page(std::span<const std::string> files, const std::string& summary, const rpl::Program& program,
                          const rpl::Variants& variants) {
  json::Writer out(json::kCompact);
  out.object([&] {
    out.key("files").array([&] {
      for (const std::string& file : files) out.value(file);
    });
    out.member("summary", summary);
    out.key("variants").raw(rpl::variants_json(program, variants));
    out.key("modules").array([&] {
      for (const rpl::VariantModule& module : variants.modules)
        out.object([&] { out.member("file", module.file).member("bytes", module.words.size() * 4); });
    });
  });
  return write_page({.title = "Variants \u2013 Slipway",
                     .style = kVariantsStyle,
                     .body = kVariantsBody,
                     .data = out.text(),
                     .script = kVariantsScript});
}

}  // namespace slipway::cli
