// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Draws with each value of the settings of render pipelines: what they leave is computed here.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "conformance/scenarios/scenario_text.hpp"

namespace slipway::conformance {

// By the factor of the source.
std::vector<std::string> blend_factors();
std::vector<ScenarioCase> blend_factor_scenarios(std::string_view factor);

std::vector<std::string> blend_operations();
std::vector<ScenarioCase> blend_operation_scenarios(std::string_view operation);

// Of depths and of stencils.
std::vector<std::string> compare_operations();
std::vector<ScenarioCase> depth_scenarios(std::string_view operation);

std::vector<std::string> stencil_operations();
std::vector<ScenarioCase> stencil_scenarios(std::string_view operation);

std::vector<std::string> cull_modes();
std::vector<ScenarioCase> cull_scenarios(std::string_view mode);

std::vector<std::string> write_masks();
std::vector<ScenarioCase> write_mask_scenarios(std::string_view mask);

}  // namespace slipway::conformance
