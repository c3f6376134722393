// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Options of operators of TensorFlow Lite files as attributes, by the names, types and defaults of the schema.
#pragma once

#include "importer/net.hpp"
#include "importer/tflite/operator_codes.hpp"
#include "importer/tflite/tflite_file.hpp"

namespace slipway::importer {

namespace fb {
struct Operator;
}

// Adds the options of an operator: integers, bools and enumerants as integers, and reals have the default of the schema
// where the file has none; lists and strings are then left out. Reports tables of another operator.
void add_options(TfliteFile& file, const fb::Operator& from, const BuiltinOperator& builtin, NetNode& to);
// Adds `custom_options`, and what it says if it is a FlexBuffer.
void add_custom_options(TfliteFile& file, const fb::Operator& from, NetNode& to);

}  // namespace slipway::importer
