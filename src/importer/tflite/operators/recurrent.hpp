// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SVDF of int8, whose state is int16.
#pragma once

#include "importer/tflite/operators/common.hpp"

namespace slipway::importer {

// [batch, filters] in the type of the state.
Term svdf_feature(NodeContext& node);
// Scales sums of int32 to the result.
void svdf_result(NodeContext& node, const Term& sums);

}  // namespace slipway::importer
