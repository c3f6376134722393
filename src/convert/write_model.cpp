// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "convert/write_model.hpp"

#include <algorithm>

#include "convert/convert.hpp"

namespace slipway::convert {

Result<std::vector<std::byte>> write_model(const tosa::Graph& graph) {
  tosa::Model model;
  model.graph = graph;
  const auto names = [&](std::span<const tosa::ValueId> values) {
    std::vector<std::string> all;
    for (const tosa::ValueId value : values) {
      if (!graph[value].name.empty()) all.push_back(graph[value].name);
    }
    return all;  // if one value has no name, all are numbered
  };
  model.input_names = names(graph.inputs);
  model.output_names = names(graph.outputs);
  Diagnostics diagnostics;
  std::optional<Converted> converted = convert(model, {}, diagnostics);
  if (!converted) return fail(diagnostics.release());
  return converted->file.finish();
}

}  // namespace slipway::convert
