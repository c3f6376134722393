// Makes a graph smaller without changing what it computes (converter page 3.7, pass 6).
#pragma once

#include "tosa/graph.hpp"

namespace slipway::convert {

struct SimplifySettings {
  bool fold = true;  // transposes of constants
};

// Equal constants become the first of them; a TRANSPOSE of a constant that nothing else uses becomes a constant; nodes
// whose results nobody needs vanish, but never a CUSTOM. Constants that nobody needs vanish too.
void simplify(tosa::Graph& graph, const SimplifySettings& settings = {});

}  // namespace slipway::convert
