// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// `slipway inspect` on ONNX and TensorFlow Lite files, whose shapes may be open and whose operators may be unknown.
#pragma once

#include <string>

#include "cli/terminal.hpp"
#include "convert/read_model.hpp"

namespace slipway::cli {

struct ImportedInspection {
  Bytes bytes;
  std::string name;  // in messages
  convert::ReadModelOptions read;
  // Whether shapes or parameters are given, with which the model must have a graph.
  bool must_convert = false;
  bool json = false;
};

// What the file has, and what its graph has if there is one. Errors: those of reading; with `must_convert` those of the
// conversion.
std::string inspect_imported(const ImportedInspection& inspection, Diagnostics& diagnostics);

}  // namespace slipway::cli
