// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The scenarios that are made for rows: what is expected of them is computed here.
#pragma once

#include <string>
#include <vector>

#include "conformance/scenarios/scenario_text.hpp"

namespace slipway::conformance {

// Rows of images: the names of formats without `VK_FORMAT_`. The cases of one of them: texels in and out, sampled by a
// shader, stored by a shader, drawn.
std::vector<std::string> image_formats();
std::vector<ScenarioCase> image_scenarios(std::string_view format);

// Tensors in shaders, by the formats that shaders have.
std::vector<std::string> tensor_formats();
std::vector<ScenarioCase> tensor_scenarios(std::string_view format);

std::vector<std::string> address_modes();
std::vector<ScenarioCase> border_scenarios(std::string_view address_mode);

std::vector<std::string> barrier_kinds();
std::vector<ScenarioCase> barrier_scenarios(std::string_view kind);

// By the number of bytes.
std::vector<std::string> push_constant_sizes();
std::vector<ScenarioCase> push_constant_scenarios(std::string_view size);

std::vector<std::string> specialized_types();
std::vector<ScenarioCase> specialization_scenarios(std::string_view type);

std::vector<std::string> mip_rows();
std::vector<ScenarioCase> mip_scenarios(std::string_view row);

}  // namespace slipway::conformance
