// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What `slipway inspect --json` prints for a model of TOSA operators.
#pragma once

#include <cstdint>
#include <string>

#include "json/record.hpp"
#include "tosa/model.hpp"

namespace slipway::convert {

struct Statistics {
  double min = 0, max = 0;
  std::uint64_t zeros = 0, count = 0;
};
Statistics statistics_of(const tosa::Graph& graph, const tosa::Constant& constant);

const json::Record<tosa::Model>& model_record();
std::string model_json(const tosa::Model& model);
std::string model_schema();

}  // namespace slipway::convert
