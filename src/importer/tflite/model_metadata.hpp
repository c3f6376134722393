// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The metadata of a TensorFlow Lite file about the model and its tensors (docs/spec/import.md#signatures-and-metadata).
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/bytes.hpp"

namespace slipway::importer {

using MetadataTexts = std::vector<std::pair<std::string, std::string>>;

// Of the data of `TFLITE_METADATA`: (`author`, its text), (`input 0`, "image: a photograph; mean 127.5, std 127.5").
// Empty: the data are damaged.
std::optional<MetadataTexts> model_metadata(Bytes data);

// A text, without the zeros that fill its buffer, or how many bytes there are where it is not one.
std::string metadata_text(Bytes data);

}  // namespace slipway::importer
