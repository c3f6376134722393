// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The key of a group of operators, as text: groups with equal keys have the same kernel, which is built once. Models
// are repetitive, and describing a group is far faster than building its kernel.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tosa/graph.hpp"

namespace slipway::lower {

struct GroupKey {
  std::string text;
  std::vector<tosa::ValueId> values;  // in the order of their first appearance in the text
};

// The key of a stored result with everything that is computed on the way to it. The name of the strategy is part of it:
// which strategy applies may depend on the contents of constants, and these are not in the text.
GroupKey key_of_group(const tosa::Graph& graph, const std::vector<bool>& stored, tosa::ValueId result,
                      std::string_view strategy);
// The key of a kernel that makes some elements of a result from some operands of its node; the first value is the
// result. The text does not describe the node.
GroupKey key_of_operands(const tosa::Graph& graph, const std::vector<bool>& stored, tosa::ValueId result,
                         std::span<const tosa::ValueId> operands);
// The key of an operand, stored or computed on the way.
GroupKey key_of_operand(const tosa::Graph& graph, const std::vector<bool>& stored, tosa::ValueId operand);

}  // namespace slipway::lower
