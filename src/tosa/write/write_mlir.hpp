// Writes a model as text of MLIR's TOSA dialect, as `read_mlir` reads it (converter page 3.5).
//
// One function, in the assembly form of each operator; what are attributes of a node here and operands there becomes
// constants, equal ones once. Names of operators are locations.
#pragma once

#include <string>

#include "base/diagnostic.hpp"
#include "tosa/model.hpp"

namespace slipway::tosa {

struct MlirPrintSettings {
  // Constants with more elements are `dense_resource<__elided__>`, as MLIR's own printer does, which has no data.
  std::uint64_t most_elements = UINT64_MAX;
};

// Errors: unsupported (operators of other sets), missing-key (a constant without data).
Result<std::string> write_mlir(const Model& model, MlirPrintSettings settings = {});

}  // namespace slipway::tosa
