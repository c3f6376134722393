// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The text of `slipway inspect` for a model of TOSA operators.
#pragma once

#include <string>

#include "tosa/model.hpp"

namespace slipway::cli {

std::string describe_model(const tosa::Model& model);

}  // namespace slipway::cli
