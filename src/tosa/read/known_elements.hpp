// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Single integers and booleans that are known while a model is read. They decide branches and loops, which files have
// and graphs do not (docs/spec/converter.md#passes).
#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>

#include "tosa/graph.hpp"

namespace slipway::tosa {

class KnownElements {
 public:
  // The only element of a tensor: of a constant, or of the result of a node that was added.
  std::optional<std::int64_t> find(const Graph& graph, ValueId value) const;
  // Evaluates the result of a node if it is one element that follows from known ones.
  void see(const Graph& graph, const Node& node);

 private:
  std::unordered_map<std::size_t, std::int64_t> results_;  // by value
};

}  // namespace slipway::tosa
