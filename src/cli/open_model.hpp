// A model to run or to draw, in whatever form it is.
#pragma once

#include <memory>
#include <string>

#include "model/plan/plan_model.hpp"

namespace slipway::cli {

// A VGF file as it is; any other model converted in memory, under the names that its tensors have. Errors: those of
// reading, converting, and of checking that it can run.
std::shared_ptr<const model::ModelFile> open_any_model(const std::string& path, const std::string& name,
                                                       Diagnostics& diagnostics);

}  // namespace slipway::cli
