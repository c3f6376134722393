// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What `slipway inspect --json` prints for ONNX and TensorFlow Lite files, and with --supported.
#pragma once

#include <string>
#include <vector>

#include "importer/import.hpp"

namespace slipway::convert {

struct ImportedDocument {
  const importer::ImportedModel* model = nullptr;
  const importer::ImportOptions* options = nullptr;
  const tosa::Model* graph = nullptr;  // null: the shapes and parameters that are given make none
  std::vector<std::string> obstacles;  // why there is no graph
};

std::string_view name_of(importer::NetFormat format);  // `onnx`

std::string imported_json(const ImportedDocument& document);
std::string imported_schema();
std::string supported_json(importer::NetFormat format);
std::string supported_schema();

}  // namespace slipway::convert
