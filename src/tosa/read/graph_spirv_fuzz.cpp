// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Any words are read as a graph or refused. A graph that was read can be verified and printed.
#include "spirv/module.hpp"
#include "tosa/check/verify.hpp"
#include "tosa/read/read_spirv.hpp"
#include "tosa/text.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace slipway;
  Diagnostics diagnostics;
  const auto module = diagnostics.take(spirv::read_module(std::as_bytes(std::span(data, size)), "fuzz.spv"));
  if (!module) return 0;
  for (const std::string& entry : tosa::graph_entry_points(*module)) {
    auto graph = tosa::read_graph(*module, entry, diagnostics);
    if (!graph) continue;
    tosa::verify(*graph, diagnostics);
    (void)tosa::print(*graph);
  }
  return 0;
}
