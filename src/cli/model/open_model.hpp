// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Opens a model of any format, to run or draw it.
#pragma once

#include <memory>
#include <string>

#include "model/plan/plan_model.hpp"

namespace slipway::cli {

// Opens a VGF file directly and converts any other model in memory; inputs and outputs keep the names of their tensors.
// `entry`: the function of an MLIR module; empty: as --entry says. Errors: those of reading, converting, and of the
// check that the model can run.
std::shared_ptr<const model::ModelFile> open_any_model(const std::string& path, const std::string& name,
                                                       const std::string& entry, Diagnostics& diagnostics);

}  // namespace slipway::cli
