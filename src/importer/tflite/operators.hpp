// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The functions of converted.def.
#pragma once

#include "importer/emit/node_context.hpp"

namespace slipway::importer {

#define TFLITE_OPERATOR(name) void emit_tflite_##name(NodeContext& node);
#define TFLITE_CUSTOM(name) void emit_tflite_custom_##name(NodeContext& node);
#include "importer/tflite/converted.def"
#undef TFLITE_CUSTOM
#undef TFLITE_OPERATOR

}  // namespace slipway::importer
