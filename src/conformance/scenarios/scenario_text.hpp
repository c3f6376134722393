// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The text of scenarios that are made (docs/spec/scenario.md).
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace slipway::conformance {

// A case of a row.
struct ScenarioCase {
  std::string name, text;
};

// A list of numbers as JSON has it, in brackets; every one is exact.
std::string number_list(const std::vector<double>& values);
// `more`: further keys, each after a comma.
std::string compute_shader(std::string_view code, std::string_view more = "");
std::string buffer_with(std::string_view uid, std::string_view type, const std::vector<double>& values);
// A buffer of elements of 4 bytes that is compared.
std::string buffer_expecting(std::string_view uid, std::string_view type, const std::vector<double>& values,
                             double tolerance = 0);
// Workgroups of the shader, whose bindings 0, 1... of set 0 are the resources.
std::string dispatch(const std::vector<std::string>& resources, std::string_view groups = "[1]",
                     std::string_view more = "");
std::string scenario_of(const std::vector<std::string>& resources, const std::vector<std::string>& commands);

}  // namespace slipway::conformance
