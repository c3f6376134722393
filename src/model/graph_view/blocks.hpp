// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sequences of operators that occur several times in a diagram, such as the layers of a network.
//
// A diagram is divided where one value at most leads from all operators before to all operators after. What is between
// two such points is a cell. A block is a sequence of cells whose operators and connections occur again elsewhere;
// shapes and attributes may differ.
#pragma once

#include "model/graph_view/diagram.hpp"

namespace slipway::model {

// Adds a cluster for each block, around the clusters of its operators. Blocks do not contain blocks.
void group_blocks(Diagram& diagram);

}  // namespace slipway::model
