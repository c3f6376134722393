// What decides the kernel of a group of operators, as text: groups with the same text have the same kernel, which is
// made once. Models repeat themselves, and describing a group is far quicker than making its kernel.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tosa/graph.hpp"

namespace slipway::lower {

struct GroupKey {
  std::string text;
  std::vector<tosa::ValueId> values;  // in the order in which the text meets them
};

// Of a stored result with everything that is computed on the way to it, by the family of that name: which one makes a
// kernel may depend on the numbers in constants, and these are not in the text.
GroupKey key_of_group(const tosa::Graph& graph, const std::vector<bool>& stored, tosa::ValueId result,
                      std::string_view family);
// Of an operand: stored, or computed on the way.
GroupKey key_of_operand(const tosa::Graph& graph, const std::vector<bool>& stored, tosa::ValueId operand);

}  // namespace slipway::lower
