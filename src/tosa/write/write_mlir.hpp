// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Writes a model as text of MLIR's TOSA dialect, as `read_mlir` reads it (docs/spec/converter.md#mlir-input).
//
// One function, in the assembly form of each operator. Attributes that are operands in the dialect become constants,
// equal ones once. Names of operators are written as locations.
#pragma once

#include <string>

#include "base/diagnostic.hpp"
#include "tosa/model.hpp"

namespace slipway::tosa {

struct MlirPrintOptions {
  // Constants with more elements are `dense_resource<__elided__>`, without data, as MLIR's own printer writes them.
  std::uint64_t max_elements = UINT64_MAX;
};

// Errors: unsupported (operators of other sets), missing-key (a constant without data).
Result<std::string> write_mlir(const Model& model, MlirPrintOptions options = {});

}  // namespace slipway::tosa
