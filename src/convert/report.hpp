// What a converted file needs of the device that runs it.
#pragma once

#include <string>

#include "base/diagnostic.hpp"
#include "tosa/graph.hpp"
#include "vgf/vgf.hpp"

namespace slipway::convert {

// JSON: SPIR-V capabilities, extensions and instruction sets of all modules, the profiles and extensions of TOSA that
// the operators are of, the Vulkan extensions that follow (schema/conversion_report.schema.json).
Result<std::string> requirements_json(const vgf::File& file, const tosa::Graph& graph);

}  // namespace slipway::convert
