// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/text/page.hpp"

#include "base/text/escape.hpp"
#include "base/text/utf8.hpp"

namespace slipway {
namespace {

constexpr std::string_view kPageStyle = R"PAGE(
:root { color-scheme: light dark; --bg: #fff; --fg: #1b2733; --soft: #5b7083; --line: #d5dde4; --panel: #f4f6f8;
  --good: #2e7d32; --bad: #b3261e; --warn: #b26a00; --skip: #64748b; --accent: #0b5394; }
@media (prefers-color-scheme: dark) { :root { --bg: #12181e; --fg: #dde5ec; --soft: #93a5b5; --line: #2c3843; --panel: #1a232c;
  --good: #66bb6a; --bad: #f2736a; --warn: #ffb74d; --skip: #94a3b8; --accent: #7ab7ee; } }
* { box-sizing: border-box; }
body { margin: 0; font: 14px/1.45 system-ui, sans-serif; color: var(--fg); background: var(--bg); }
main { max-width: 1200px; margin: 0 auto; padding: 0 16px 48px; }
h1 { font-size: 20px; margin: 18px 0 4px; } h2 { font-size: 16px; margin: 28px 0 8px; }
.soft { color: var(--soft); } .n { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
code, pre, .file { font-family: ui-monospace, "DejaVu Sans Mono", monospace; font-size: 12.5px; }
code, .file { overflow-wrap: anywhere; }
pre { margin: 8px 0; padding: 8px 10px; background: var(--panel); border: 1px solid var(--line); border-radius: 6px; overflow-x: auto; }
table { border-collapse: collapse; width: 100%; } td, th { padding: 3px 10px 3px 0; text-align: left; vertical-align: top; border-bottom: 1px solid var(--line); font-weight: normal; }
th { color: var(--soft); }
.chips { display: flex; flex-wrap: wrap; gap: 8px; margin: 12px 0; }
.chip { font: inherit; color: inherit; background: var(--panel); border: 1px solid var(--line); border-radius: 16px; padding: 3px 12px; cursor: pointer; }
.chip[aria-pressed="true"] { border-color: var(--accent); box-shadow: 0 0 0 1px var(--accent); }
.chip b { font-variant-numeric: tabular-nums; }
.good { color: var(--good); } .bad { color: var(--bad); } .warn { color: var(--warn); } .skip { color: var(--skip); }
.tools { position: sticky; top: 0; z-index: 2; display: flex; flex-wrap: wrap; gap: 8px; padding: 8px 0; background: var(--bg); border-bottom: 1px solid var(--line); }
.tools input { flex: 1 1 16em; } .tools input, .tools select { font: inherit; padding: 5px 8px; color: inherit; background: var(--panel); border: 1px solid var(--line); border-radius: 6px; }
.case { border-bottom: 1px solid var(--line); content-visibility: auto; contain-intrinsic-size: auto 34px; }
.case > button { display: grid; grid-template-columns: 7.5em 1fr 6em 5.5em; gap: 2px 10px; width: 100%; padding: 6px 0; font: inherit; color: inherit; text-align: left; background: none; border: 0; cursor: pointer; }
.case > button:hover { background: var(--panel); } .case .why { grid-column: 2 / -1; color: var(--soft); overflow-wrap: anywhere; }
.case .in { padding: 0 0 12px 8px; overflow-x: auto; }
.bar { height: 6px; background: var(--accent); border-radius: 3px; min-width: 1px; } td > .bar { margin-top: 8px; }
.cols { display: grid; grid-template-columns: repeat(auto-fit, minmax(300px, 1fr)); gap: 8px 32px; }
canvas { width: 100%; display: block; touch-action: none; border: 1px solid var(--line); border-radius: 6px; cursor: grab; }
#tip { min-height: 1.5em; }
.view { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 300px), 1fr)); gap: 8px 32px; margin: 8px 0 16px; padding: 8px 10px; border: 1px solid var(--line); border-radius: 6px; }
.view canvas { width: min(100%, 420px); image-rendering: pixelated; cursor: default; background: #000; }
.view .chips { margin: 4px 0 8px; } .view label { display: flex; gap: 8px; align-items: center; margin: 6px 0; } .view input { flex: 1; max-width: 320px; accent-color: var(--accent); }
@media (max-width: 640px) { .case > button { grid-template-columns: 6.5em 1fr 5em; } .case .format { display: none; } main { padding: 0 10px 32px; } }
@media print { .tools { position: static; } }
)PAGE";

// What the scripts of all pages have: the data, and functions that make elements.
constexpr std::string_view kPageTools = R"PAGE(
'use strict';
const D = JSON.parse(document.getElementById('data').textContent), $ = id => document.getElementById(id);
const el = (tag, text, cls) => { const e = document.createElement(tag); if (text != null) e.textContent = text; if (cls) e.className = cls; return e; };
const put = (parent, ...all) => { parent.append(...all); return parent; };
const time = s => s >= 100 ? s.toFixed(0) + ' s' : s >= 1 ? s.toFixed(2) + ' s' : s >= 1e-3 ? (s * 1e3).toFixed(s < .01 ? 2 : 1) + ' ms' : (s * 1e6).toFixed(1) + ' \u00b5s';
// A row that a click opens. Its name is then in the address: page.html#NAME shows the page with the row open.
function opening(box, button, name, details, close) {
  button.setAttribute('aria-expanded', false);
  button.onclick = () => {
    const is_open = box.children.length > 1;
    if (!is_open) box.append(details()); else { if (close) close(); box.lastChild.remove(); }
    button.setAttribute('aria-expanded', !is_open);
    try { history.replaceState(null, '', is_open ? location.pathname + location.search : '#' + encodeURIComponent(name)); } catch { /* a page in a frame */ }
  };
  box.dataset.name = name;
  return put(box, button);
}
const named = decodeURIComponent(location.hash.slice(1));
function open_named() {
  const box = named && [...document.querySelectorAll('.case')].find(x => x.dataset.name === named);
  if (box) { box.firstElementChild.click(); box.scrollIntoView(); }
}
function table(heads, rows, numeric) {
  const t = el('table'), h = el('tr');
  heads.forEach((x, i) => h.append(el('th', x, numeric.includes(i) ? 'n' : '')));
  t.append(h);
  rows.forEach(r => { const tr = el('tr'); r.forEach((x, i) => { const td = el('td', x instanceof Node ? null : x, numeric.includes(i) ? 'n' : ''); if (x instanceof Node) td.append(x); tr.append(td); }); t.append(tr); });
  return t;
}
)PAGE";

}  // namespace

std::string write_page(const PageParts& parts) {
  std::string data = valid_utf8(parts.data);
  // The text of a script element must not end it.
  for (std::size_t at = data.find("</"); at != data.npos; at = data.find("</", at + 3)) data.insert(at + 1, 1, '\\');
  for (std::size_t at = data.find("<!--"); at != data.npos; at = data.find("<!--", at + 8))
    data.replace(at, 1, "\\u003c");
  std::string page =
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>";
  page += escape_markup(parts.title);
  page += "</title>\n<style>";
  page += kPageStyle;
  page += parts.style;
  page += "</style>\n</head>\n<body>\n";
  page += parts.body;
  page += "<script type=\"application/json\" id=\"data\">";
  page += data;
  page += "</script>\n<script>";
  page += kPageTools;
  page += parts.script;
  return page + "</script>\n</body>\n</html>\n";
}

}  // namespace slipway
