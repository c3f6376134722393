// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reducers make a file of one kind smaller while it still fails. They know nothing of processes: a function says
// whether a candidate fails as the original does.
//
//   std::string smaller = reduce_text(text, [&](const std::string& candidate) { return fails(candidate); }, notes);
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "tosa/graph.hpp"

namespace slipway::cli {

// Called after each pass that made the file smaller: "operators", "12 operators, 3 inputs".
using ReduceNotes = std::function<void(std::string_view pass, const std::string& size)>;

// JSON whose members and elements can be left out; `commands` and `resources` of scenarios go first, and code in
// strings is reduced as a text. A text that is not valid JSON stays.
std::string reduce_json(const std::string& text, const std::function<bool(const std::string&)>& fails,
                        const ReduceNotes& notes);
std::string size_of_json(std::string_view text);

// A program of a language with `;`, brackets and C's comments: declarations, then what is in their blocks.
std::string reduce_text(const std::string& text, const std::function<bool(const std::string&)>& fails,
                        const ReduceNotes& notes);
std::string size_of_text(std::string_view text);

// A graph: fewer outputs, operators whose results are inputs instead, operators without effect, constants of equal
// elements, and smaller shapes. Its data of constants may be views of the original's.
tosa::Graph reduce_graph(const tosa::Graph& graph, const std::function<bool(const tosa::Graph&)>& fails,
                         const ReduceNotes& notes);
std::string size_of_graph(const tosa::Graph& graph);

// JSON with the relative paths of input files in it (`src`, `include_dirs`, `modules`), changed from those relative to
// one directory to those relative to another, or absolute ones if `to` is empty. Names of files that do not exist stay.
std::string move_json(const std::string& text, const std::string& from, const std::string& to);

}  // namespace slipway::cli
