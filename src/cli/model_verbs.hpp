// What the verbs do with models of TOSA: `.tosa` files, MLIR, graphs as text.
#pragma once

#include "cli/command_line.hpp"
#include "cli/content.hpp"

namespace slipway::cli {

bool is_tosa_file(const Content& content);
bool is_graph_text_file(const Content& content);
// Bytecode, or text that has a function of the dialect `func`.
bool is_mlir_file(const Content& content);

int check_model_file(const Arguments& arguments);
int inspect_model_file(const Arguments& arguments);
// Two of one kind; VGF files too.
int diff_model_files(const Arguments& arguments);
// VGF files too, which are written as the latest version.
int convert_model_file(const Arguments& arguments);

// The drop-in names `model-converter` and `model_converter` (converter page 5.1): their options, texts and exit status.
int model_converter(const Arguments& arguments);

}  // namespace slipway::cli
