// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reads the graphs of any VGF file; those that can be read are lowered.
#include <algorithm>

#include "lower/lower.hpp"
#include "model/graph_segment.hpp"
#include "vgf/check.hpp"
#include "vgf/read.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace slipway;
  Diagnostics diagnostics;
  const auto file = vgf::read_vgf(std::as_bytes(std::span(data, size)), "fuzz.vgf", diagnostics);
  if (!file) return 0;
  vgf::check_vgf(*file, diagnostics);
  if (diagnostics.has_errors()) return 0;
  for (std::size_t i = 0; i < file->segments.size(); ++i) {
    if (file->segments[i].kind != vgf::ModuleKind::Graph) continue;
    const auto graph = model::read_graph_segment(*file, i, diagnostics);
    if (!graph || std::ranges::any_of(graph->values, [](const tosa::Value& v) { return !v.type.is_static(); }))
      continue;
    for (const bool fuse : {true, false}) (void)lower::lower_graph(*graph, {.fuse = fuse});
  }
  return 0;
}
