// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Makes a graph smaller without changing what it computes (docs/spec/converter.md#pass-6).
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <vector>

#include "tosa/graph.hpp"

namespace slipway::convert {

struct SimplifyOptions {
  bool fold = true;  // convert/passes/fold.hpp, and transposes of large constants
  // Transposes of constants of a megabyte or more stay in the graph, for defer_transposes: their bytes are not needed
  // before the file is written.
  bool defers_transposes = false;
};

// Equal constants are merged into the first; a TRANSPOSE of a constant that nothing else uses is folded to a constant;
// nodes with unused results are removed, except CUSTOM. Unused constants are removed too.
void simplify(tosa::Graph& graph, const SimplifyOptions& options = {});

// The elements of a constant, as the transpose of what another one holds.
struct DeferredTranspose {
  Bytes data;           // of the source
  tensor::Shape shape;  // of the source
  std::vector<std::int64_t> perms;
  std::size_t element = 0;  // bytes of one

  std::int64_t rows() const { return shape[static_cast<std::size_t>(perms[0])]; }  // indices of the first dimension
  // Calls `use` with the elements in order, in pieces of about `bytes` bytes, until it returns false.
  void for_pieces(std::size_t bytes, const std::function<bool(Bytes)>& use) const;
};
// By the index of the constant.
using DeferredTransposes = std::map<std::uint32_t, DeferredTranspose>;

// Makes constants of the transposes that `simplify` deferred. They have no data in the graph.
DeferredTransposes defer_transposes(tosa::Graph& graph);

}  // namespace slipway::convert
