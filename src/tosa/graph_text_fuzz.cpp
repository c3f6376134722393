// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Any text is parsed or refused. A parsed graph can be verified and printed, whether it is valid or not, and its cost
// can be computed. A valid one reads back as the same graph.
#include <cstdlib>

#include "tosa/check/verify.hpp"
#include "tosa/cost.hpp"
#include "tosa/text.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace slipway;
  Diagnostics diagnostics;
  auto graph =
      tosa::parse(make_source("fuzz.graph", std::string(reinterpret_cast<const char*>(data), size)), diagnostics);
  if (!graph) return 0;
  const std::string text = tosa::print(*graph, {.max_elements = 4096});
  tosa::cost_of(*graph);
  tosa::parameters_of(*graph);
  tosa::verify(*graph, diagnostics);
  if (diagnostics.has_errors() || text.contains("...")) return 0;
  Diagnostics again_diagnostics;
  const auto again = tosa::parse(make_source("again.graph", text), again_diagnostics);
  if (!again || tosa::print(*again, {.max_elements = 4096}) != text) std::abort();
  return 0;
}
