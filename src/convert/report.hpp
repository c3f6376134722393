// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The requirements of a converted file for the device that runs it.
#pragma once

#include <string>

#include "base/diagnostic.hpp"
#include "tosa/graph.hpp"
#include "vgf/vgf.hpp"

namespace slipway::convert {

// JSON: SPIR-V capabilities, extensions and instruction sets of all modules, the TOSA profiles and extensions of the
// operators, and the Vulkan extensions that they require (schema/conversion_report.schema.json).
Result<std::string> requirements_json(const vgf::File& file, const tosa::Graph& graph);
std::string requirements_schema();

}  // namespace slipway::convert
