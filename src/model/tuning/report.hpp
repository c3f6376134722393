// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a tuning measured as JSON, for `slipway tune --json`. The table that later runs use is another document
// (tuning_table.hpp).
#pragma once

#include <string>

#include "model/tuning/tune.hpp"

namespace slipway::model {

std::string tuning_report_text(const Tuned& tuned);
std::string tuning_report_schema();

}  // namespace slipway::model
