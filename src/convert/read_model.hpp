// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reads a model in any form except VGF; the form is detected from the contents of the file
// (docs/spec/converter.md#input-detection).
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "base/diagnostic.hpp"
#include "importer/import_options.hpp"
#include "importer/read_options.hpp"
#include "tosa/model.hpp"

namespace slipway::convert {

enum class ModelFormat : std::uint8_t { TosaFlatBuffers, MlirBytecode, Vgf, Tflite, Onnx, GraphText, MlirText };

// Text that is not our own graph notation is read as MLIR. The name decides only for a damaged ONNX file, which has no
// mark of its own.
ModelFormat detect_format(Bytes bytes, std::string_view name = {});
// Whether the file is ONNX or TensorFlow Lite.
bool is_imported(Bytes bytes, std::string_view name);
// Whether a text begins like our graph notation (`tosa/text.hpp`): `graph NAME {`.
bool is_graph_text(std::string_view text);

enum class IoNames : std::uint8_t { Deserialized, Tensor };

struct ReadModelOptions {
  std::optional<ModelFormat> format;  // that was detected; empty: not yet
  std::string entry;                  // the function of an MLIR module; empty: all
  // The names of inputs and outputs of a `.tosa` file: `tosa_deserialized_input_0:0`, or those of its tensors.
  IoNames io_names = IoNames::Deserialized;
  // Of ONNX and TensorFlow Lite files: shapes and parameters, and where data beside the file are.
  importer::ImportOptions import;
  importer::ReadOptions files;
  bool chooses_directory = false;  // `files.directory` was chosen, and is not that of the file
  // Called with decoded parts of a long text, for bytes of a mapped file.
  std::function<void(Bytes)> done_with;
};

// Whether a file of this format has what the options are for: functions, kinds of nodes, open dimensions, and so on. An
// option that does not apply is an error.
bool options_apply(ModelFormat format, const std::string& name, const ReadModelOptions& options,
                   Diagnostics& diagnostics);

// The options for a file of this path, whose data are beside it unless `options` name another directory.
ReadModelOptions beside(const Path& file, ReadModelOptions options = {});

// `bytes` must outlive the model. Errors: those of the readers; not-recognised for files of other tools.
std::optional<tosa::Model> read_model(Bytes bytes, const std::string& name, const ReadModelOptions& options,
                                      Diagnostics& diagnostics);

}  // namespace slipway::convert
