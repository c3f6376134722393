// Single integers and truth values that are known while a model is read: they decide branches and loops, which files
// have and graphs do not (converter page 3.7).
#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>

#include "tosa/graph.hpp"

namespace slipway::tosa {

class KnownElements {
 public:
  // The element of a tensor that has one: of a constant, or of the result of a node that was seen.
  std::optional<std::int64_t> find(const Graph& graph, ValueId value) const;
  // Works out the result of a node, where it is one element that follows from known ones.
  void see(const Graph& graph, const Node& node);

 private:
  std::unordered_map<std::size_t, std::int64_t> results_;  // by value
};

}  // namespace slipway::tosa
