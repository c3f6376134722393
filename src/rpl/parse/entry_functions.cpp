// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "rpl/parse/entry_functions.hpp"

namespace slipway::rpl {

std::vector<EntryPointName> entry_functions(const Program& program, PipelineKind pipeline) {
  std::vector<EntryPointName> entries;
  const auto find = [&](Stage stage, std::string_view ending) {
    for (const Item& item : program.items) {
      if (item.kind != ItemKind::Function || item.arguments.count != 0) continue;
      if (!program.text(item.name).ends_with(ending)) continue;
      entries.push_back({stage, std::string(program.text(item.name))});
      return;
    }
  };
  if (pipeline == PipelineKind::Compute) {
    find(Stage::Compute, "compute_main");
  } else {
    find(Stage::Vertex, "vertex_main");
    find(Stage::Fragment, "fragment_main");
  }
  return entries;
}

}  // namespace slipway::rpl
