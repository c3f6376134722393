// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The verbs for models of TOSA operators: `.tosa` files, MLIR, graphs as text, ONNX and
// TensorFlow Lite files.
#pragma once

#include "cli/command_line.hpp"
#include "cli/content.hpp"

namespace slipway::cli {

bool is_tosa_file(const Content& content);
bool is_graph_text_file(const Content& content);
bool is_onnx_file(const Content& content);
bool is_tflite_file(const Content& content);
// Bytecode, or text with a function of the dialect `func`.
bool is_mlir_file(const Content& content);

bool is_program_file(const Content& content);  // of ExecuTorch

int check_program_file(const Arguments& arguments);
int inspect_program_file(const Arguments& arguments);
int check_model_file(const Arguments& arguments);
int inspect_model_file(const Arguments& arguments);
// `slipway inspect --supported onnx`, which has no file.
bool is_supported_list(const Arguments& arguments);
int inspect_supported(const Arguments& arguments);
// Two VGF files, or two other models.
int diff_model_files(const Arguments& arguments);
// Also for VGF files, which are rewritten as the latest version.
int convert_model_file(const Arguments& arguments);

// The drop-in names `model-converter` and `model_converter`, with the options, texts and exit status of these tools
// (docs/spec/converter.md#command-line).
int model_converter(const Arguments& arguments);

}  // namespace slipway::cli
