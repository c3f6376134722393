// Reads models in MLIR, text and bytecode: the TOSA dialect of MLIR 22 (converter page 3.5).
//
//   std::optional<Model> model = read_mlir(mapped.bytes(), "m.mlir", {}, diagnostics);
//
// libMLIR only parses; what it made is turned into the graph and stays alive in `Model::memory` as long as constants
// refer to it. Branches with known conditions and loops with known conditions at every turn are written out. Accepted
// is a module of functions (`func.func`) with TOSA operators alone. Integers of 64 bits become i32, f64 becomes f32,
// unsigned integers become signed ones of the same bits. Nothing of MLIR is touched before this is called.
#pragma once

#include "base/diagnostic.hpp"
#include "tosa/model.hpp"
#include "tosa/read/mlir/long_literals.hpp"

namespace slipway::tosa {

struct MlirSettings {
  // The function. Empty: the one with `tf.entry_function`, else the only one, else `main`.
  std::string entry;
  // Gets parts of a long text that are decoded. It may look at them again all the same.
  DoneWith done_with;
};

// `bytes` must outlive the model. Collects all problems at their lines: text-syntax, unsupported, type-mismatch,
// file-format, unknown-reference, out-of-range. Empty after an error.
std::optional<Model> read_mlir(Bytes bytes, const std::string& name, const MlirSettings& settings,
                               Diagnostics& diagnostics);

}  // namespace slipway::tosa
