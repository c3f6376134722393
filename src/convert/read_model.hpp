// Reads a model in any form but VGF; the form is told by what is in the file (converter page 3.1).
#pragma once

#include <functional>
#include <string>

#include "base/diagnostic.hpp"
#include "tosa/model.hpp"

namespace slipway::convert {

enum class ModelFormat : std::uint8_t { TosaFlatBuffers, MlirBytecode, Vgf, GraphText, MlirText };

// Text that does not look like our own is MLIR's.
ModelFormat detect_format(Bytes bytes);
// Whether a text begins as a graph does (`tosa/text.hpp`): `graph NAME {`.
bool is_graph_text(std::string_view text);

enum class IoNames : std::uint8_t { Deserialized, Tensor };

struct ReadSettings {
  std::string entry;  // the function of an MLIR module; empty: the only one
  // What inputs and outputs of a `.tosa` file are called: `tosa_deserialized_input_0:0`, or as its tensors.
  IoNames io_names = IoNames::Deserialized;
  // Gets parts of a long text that are decoded, for bytes that lie in a file that is mapped.
  std::function<void(Bytes)> done_with;
};

// `bytes` must outlive the model. Errors: those of the readers; not-recognised for files of other tools.
std::optional<tosa::Model> read_model(Bytes bytes, const std::string& name, const ReadSettings& settings,
                                      Diagnostics& diagnostics);

}  // namespace slipway::convert
