// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Graphs from the lines of their text.
#pragma once

#include <stdexcept>
#include <string>
#include <utility>

#include "base/diagnostic.hpp"
#include "tosa/check/verify.hpp"
#include "tosa/text.hpp"

namespace slipway::testing {

// The verified graph; throws the message of its first error.
inline tosa::Graph graph_of(const std::string& lines) {
  Diagnostics diagnostics;
  auto graph = tosa::parse(make_source("graph", "graph main {\n" + lines + "}\n"), diagnostics);
  if (graph) tosa::verify(*graph, diagnostics);
  if (!graph || diagnostics.has_errors()) throw std::runtime_error(diagnostics.all()[0].message);
  return std::move(*graph);
}

}  // namespace slipway::testing
