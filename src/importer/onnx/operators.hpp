// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The functions of operators.def.
#pragma once

#include "importer/emit/node_context.hpp"

namespace slipway::importer {

#define ONNX_OPERATOR(of, name) void emit_##of##_##name(NodeContext& node);
#include "importer/onnx/operators.def"
#undef ONNX_OPERATOR

}  // namespace slipway::importer
