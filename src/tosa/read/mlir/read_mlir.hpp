// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reads models in MLIR, text and bytecode: the TOSA dialect of MLIR 22 (docs/spec/converter.md#mlir-input).
//
//   std::optional<Model> model = read_mlir(mapped.bytes(), "m.mlir", {}, diagnostics);
//
// libMLIR only parses, in the sandbox (sandbox/sandbox.hpp), which sends the graph. The reply stays alive in
// `Model::memory`, because constants refer to it. Branches with known conditions are replaced by the selected branch,
// and loops whose condition is known in every iteration are unrolled. A module must consist of functions (`func.func`)
// with TOSA operators only. Integers of 64 bits become i32, f64 becomes f32, unsigned integers become signed ones of
// the same bits. MLIR is not initialised before the first call.
#pragma once

#include "base/diagnostic.hpp"
#include "tosa/model.hpp"
#include "tosa/read/mlir/long_literals.hpp"

namespace slipway::tosa {

struct MlirOptions {
  // The name of the function. Empty: all, as parts of the graph that share no tensors.
  std::string entry;
  // Called with decoded parts of a long text, which may be evicted from memory. They may be read again later.
  DoneWith done_with;
};

// `bytes` must outlive the model. Collects all errors with their lines: text-syntax, unsupported, type-mismatch,
// file-format, unknown-reference, out-of-range. Empty after an error.
std::optional<Model> read_mlir(Bytes bytes, const std::string& name, const MlirOptions& options,
                               Diagnostics& diagnostics);

}  // namespace slipway::tosa
