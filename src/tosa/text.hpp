// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The text form of a graph, for people and tests. Printing and then parsing returns the same graph.
//
//   graph main {
//     %0 = input i8[1, 4, 4, 2] "x" at 0.0
//     %1 = const i8[2] [1, -3]
//     %2 = const i32[8] splat 0
//     %3 = const i8[8, 3, 3, 2] graph_constant 4
//     %4 = CONV2D(%0, %3, %2) i32[1, 4, 4, 8] pad=[1, 1, 1, 1] stride=[1, 1] acc_type=INT32 ...
//     output %4 at 0.1
//   }
//
// `at SET.BINDING` may be left out. Two results: `%4, %5 = FFT2D(...) f32[1, 8, 8], f32[1, 8, 8] ...`. Comments start
// with `//`.
#pragma once

#include <string>
#include <vector>

#include "base/diagnostic.hpp"
#include "tosa/graph.hpp"

namespace slipway::tosa {

struct PrintOptions {
  // Constants with more elements are shown with `...`, which cannot be parsed again.
  std::uint64_t max_elements = 16;
};

std::string print(const Graph& graph, PrintOptions options = {});
// The names that `print` uses, `%0`, by value.
std::vector<std::string> value_names(const Graph& graph);
// A node without its results: `CONV2D(%0, %3, %2) pad=[1, 1, 1, 1] ...`.
std::string print(const Graph& graph, const Node& node);

// Collects diagnostics (syntax, unknown names): text-syntax, unknown-value, unknown-reference; does not verify. Empty
// after an error.
std::optional<Graph> parse(const SourcePtr& source, Diagnostics& diagnostics);

}  // namespace slipway::tosa
