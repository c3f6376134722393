// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The reader of a build without libMLIR.
#include "tosa/read/mlir/parse_mlir.hpp"
#include "tosa/read/mlir/read_mlir.hpp"

namespace slipway::tosa {

std::optional<Model> read_mlir(Bytes, const std::string& name, const MlirOptions&, Diagnostics& diagnostics) {
  diagnostics.error(
      DiagnosticKind::Unsupported, SourceLocation::in_bytes(name, {0, 0}),
      "this build of slipway does not read MLIR; install libmlir-22-dev and llvm-22-dev and build it again, or "
      "convert the model to a TOSA FlatBuffer");
  return std::nullopt;
}

const sandbox::Service kMlirService = {"mlir", "MLIR",
                                       [](Bytes, const sandbox::Ask&) { return std::vector<std::byte>(); }};

}  // namespace slipway::tosa
