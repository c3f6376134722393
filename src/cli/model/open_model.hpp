// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Opens a model of any format, to run or draw it.
#pragma once

#include <memory>
#include <string>

#include "convert/read_model.hpp"
#include "model/plan/plan_model.hpp"

namespace slipway::cli {

// model::open_any_model for what the command line names: `-` is standard input.
std::shared_ptr<const model::ModelFile> open_named_model(const std::string& path, const convert::ReadModelOptions& read,
                                                         Diagnostics& diagnostics);

}  // namespace slipway::cli
