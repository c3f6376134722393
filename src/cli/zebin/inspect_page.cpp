// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cli/zebin/inspect_page.hpp"

#include <algorithm>
#include <array>
#include <vector>

#include "base/format.hpp"
#include "base/text/page.hpp"
#include "zeinfo/kernel/occupancy.hpp"

namespace slipway::cli {
namespace {

constexpr std::string_view kInspectStyle = R"PAGE(
.case > button { grid-template-columns: 1fr 6em 6em 8em 7em; }
.layout { overflow-x: auto; margin: 8px 0; } .layout svg { display: block; }
.in h3 { font-size: 14px; margin: 16px 0 4px; } .scroll { overflow-x: auto; }
pre.isa { max-height: 480px; overflow: auto; }
.legend span { display: inline-block; padding: 0 8px; margin: 0 8px 4px 0; border: 1px solid var(--line); border-radius: 4px; }
.l1 { background: #ddf4ff; } .l2 { background: #dafbe1; } .l3 { background: #fbefff; } .l4 { background: #fff8c5; }
@media (prefers-color-scheme: dark) { .l1 { background: #173a54; } .l2 { background: #17402a; } .l3 { background: #3a2950; } .l4 { background: #453b12; } }
@media (max-width: 640px) { .case > button { grid-template-columns: 1fr 5em 8em; } .case .wide { display: none; } }
)PAGE";

constexpr std::string_view kInspectBody = R"PAGE(<main>
<h1 id="title"></h1>
<p class="soft" id="about"></p>
<div class="tools"><input id="search" type="search" placeholder="search kernels, devices, arguments" aria-label="search">
<select id="sort" aria-label="order"><option value="order">order of the file</option><option value="spill">largest spill first</option><option value="code">largest code first</option></select></div>
<p class="soft" id="shown"></p>
<div id="cases"></div>
</main>
)PAGE";

constexpr std::string_view kInspectScript = R"PAGE(
const number = x => x == null ? '\u2013' : x.toLocaleString('en'), size = x => x == null ? '\u2013' : number(x) + ' B';
const kernels = [];
D.inputs.forEach((input, i) => input.inspect.summary.forEach((s, k) => kernels.push({ s, input, occupancy: input.occupancy[k], layout: $('layout-' + i + '-' + k) })));
document.title = D.file + ' \u2013 Slipway';
put($('title'), kernels.length + (kernels.length === 1 ? ' kernel in ' : ' kernels in '), el('code', D.file));
const devices = [...new Set(D.inputs.map(x => x.inspect.target.device).filter(x => x))], spilling = kernels.filter(k => k.s.spill_bytes > 0).length;
$('about').textContent = [D.inputs.length > 1 ? D.inputs.length + ' zebins' : '', devices.length ? 'for ' + devices.join(', ') : 'the device is not known', spilling ? spilling + ' with spills' : 'no spills'].filter(x => x).join(' \u00b7 ');
kernels.forEach((k, i) => { k.i = i; k.all = [k.s.kernel, k.input.name, k.input.inspect.target.device, ...k.s.args.map(a => a.name)].join(' ').toLowerCase(); });
function details(k) {
  const d = el('div', null, 'in'), s = k.s, cols = el('div', null, 'cols');
  cols.append(table(['', ''], [['SIMD', s.simd], ['registers', s.grf], ['threads of an EU', number(s.threads_per_eu)], ['code', size(s.code_bytes)], ...(s.instructions == null ? [] : [['instructions', number(s.instructions)], ['sends', number(s.sends)]]),
    ['spill of a thread', el('span', size(s.spill_bytes) + ' (' + +s.spill_registers_per_lane.toFixed(2) + ' registers of a lane)', s.spill_bytes ? 'bad' : '')], ['scratch', size(s.scratch_bytes)], ['private memory of a thread', size(s.private_bytes)], ['local memory', size(s.slm_bytes)], ['barriers', s.barriers], ['cross-thread data', size(s.cross_thread_bytes) + ', ' + s.inline_bytes + ' inline'], ['per-thread data', size(s.per_thread_bytes)]], [1]));
  if (k.occupancy.length) {
    const rows = k.occupancy.map(o => { const b = el('div', null, 'bar'); b.style.width = (o.share || 0) * 100 + 'px'; return o.problem ? [o.size, '', '', '', el('span', o.problem, 'soft')] : [o.size, number(o.groups), number(o.threads), b, Math.round(o.share * 100) + ' %, by ' + o.limited_by]; });
    cols.append(put(el('div'), el('b', 'Occupancy of a subslice'), table(['work group', 'groups', 'threads each', '', 'of its threads, limited by'], rows, [1, 2])));
  }
  d.append(cols);
  if (s.args.length) d.append(el('h3', 'Arguments'), put(el('div', null, 'scroll'), table(['index', 'name', 'type', 'kind', 'offset', 'size'], s.args.map(a => [a.index, el('code', a.name || ''), el('code', (a.type_name || '').split(';')[0]), [a.addrmode || (a.type === 'arg_byvalue' ? 'value' : a.type), a.addrspace, a.access_type].filter(x => x).join(', '), a.offset, size(a.size)]), [4, 5])));
  if (s.implicit.length) d.append(el('p', 'The runtime adds: ' + s.implicit.map(a => a.type + ' at ' + a.offset).join(', '), 'soft'));
  d.append(el('h3', 'Layout of the payload'), put(el('p', null, 'legend'), el('span', 'values', 'l1'), el('span', 'buffers', 'l2'), el('span', 'images and samplers', 'l3'), el('span', 'added by the runtime', 'l4'), 'The dashed line ends the inline data. On the left are the offset and the register of the block.'));
  k.layout.hidden = false; d.append(k.layout);
  if (s.isa) d.append(el('h3', 'Instructions'), el('pre', s.isa, 'isa'));
  return d;
}
function row(k) {
  const box = el('div', null, 'case'), b = el('button'), s = k.s, device = k.input.inspect.target.device;
  put(b, put(el('span', null, 'file'), el('b', s.kernel), D.inputs.length > 1 ? el('span', ' ' + k.input.name.replace(D.file, ''), 'soft') : ''), el('span', 'SIMD ' + s.simd, 'n'), el('span', s.grf + ' regs', 'n wide'), el('span', s.spill_bytes ? 'spill ' + size(s.spill_bytes) : '', 'n bad'), el('span', s.code_bytes == null ? '' : size(s.code_bytes), 'n wide'));
  return opening(box, b, [k.input.name.replace(D.file, ''), s.kernel].join(' '), () => details(k), () => { document.body.append(k.layout); k.layout.hidden = true; });
}
function list() {
  const words = $('search').value.toLowerCase().split(/\s+/).filter(x => x), order = $('sort').value;
  const shown = kernels.filter(k => words.every(w => k.all.includes(w)));
  if (order === 'spill') shown.sort((a, b) => b.s.spill_bytes - a.s.spill_bytes || a.i - b.i);
  if (order === 'code') shown.sort((a, b) => (b.s.code_bytes || 0) - (a.s.code_bytes || 0) || a.i - b.i);
  $('shown').textContent = shown.length === kernels.length ? '' : shown.length + ' of ' + kernels.length;
  kernels.forEach(k => { document.body.append(k.layout); k.layout.hidden = true; });
  $('cases').replaceChildren(...shown.map(row));
}
$('search').oninput = list; $('sort').onchange = list; list(); open_named();
if (kernels.length && kernels.length < 4) document.querySelectorAll('.case > button').forEach(b => b.click());
)PAGE";

// The work-group sizes for which the page shows the occupancy: the one that is chosen or required, else powers of two.
std::vector<zeinfo::WorkGroup> sizes_for(const zeinfo::Kernel& kernel, const zebin::InspectOptions& options) {
  if (const auto required = zeinfo::required_work_group(kernel)) return {*required};
  if (options.occupancy_of) return {*options.occupancy_of};
  std::vector<zeinfo::WorkGroup> sizes;
  for (std::uint32_t items = 16; items <= 1024; items *= 2) sizes.push_back({items, 1, 1});
  return sizes;
}

void write_occupancy(json::Writer& out, const zebin::Input& input, const zeinfo::Kernel& kernel,
                     const zebin::InspectOptions& options) {
  out.array([&] {
    for (const zeinfo::WorkGroup& size : sizes_for(kernel, options)) {
      const auto found = occupancy(kernel, input.target,
                                   {.local_size = size, .eus = options.eus, .local_memory = options.local_memory});
      if (!found && !input.target.device) return;
      out.object([&] {
        out.member("size", size[2] > 1   ? formatted("{}x{}x{}", size[0], size[1], size[2])
                           : size[1] > 1 ? formatted("{}x{}", size[0], size[1])
                                         : std::to_string(size[0]));
        if (!found) {
          out.member("problem", found.error());
          return;
        }
        const auto all = static_cast<double>(found->threads_per_eu) * found->eus;
        out.member("groups", found->groups).member("threads", found->threads_per_group);
        out.member("share", static_cast<double>(found->groups * found->threads_per_group) / all);
        out.member("limited_by", found->limited_by);
      });
    }
  });
}

}  // namespace

std::string inspect_page(const std::string& file, std::span<const zebin::Input> inputs,
                         const zebin::InspectOptions& options) {
  std::string body(kInspectBody);
  json::Writer out(json::kCompact);
  out.object([&] {
    out.member("file", zebin::printable(file));
    out.key("inputs").array([&] {
      for (std::size_t i = 0; i < inputs.size(); ++i) {
        out.object([&] {
          const zebin::Input& input = inputs[i];
          out.member("name", zebin::printable(input.name));
          write_input(out.key("inspect"), input, options);
          out.key("occupancy").array([&] {
            const std::vector<const zeinfo::Kernel*> kernels = chosen_kernels(input, options);
            for (std::size_t k = 0; k < kernels.size(); ++k) {
              write_occupancy(out, input, *kernels[k], options);
              body += formatted("<div class=\"layout\" id=\"layout-{}-{}\" hidden>{}</div>\n", i, k,
                                zebin::layout_svg(layout_of(input.document, *kernels[k], input.target)));
            }
          });
        });
      }
    });
  });
  return write_page({.title = "Kernels \u2013 Slipway",
                     .style = kInspectStyle,
                     .body = body,
                     .data = out.text(),
                     .script = kInspectScript});
}

}  // namespace slipway::cli
