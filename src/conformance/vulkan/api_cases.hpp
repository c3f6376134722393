// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Cases that are calls of Vulkan: what programs of others do with tensors, graphs and optical flow. Each has a row of
// its own and a device of its own, which `run` starts with what it needs.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "conformance/vulkan/application.hpp"
#include "conformance/vulkan/checks.hpp"

namespace slipway::conformance {

struct ApiCase {
  std::string row;  // without its suite: `copies/gaps`
  // Throws Lacking, and std::runtime_error where a function of Vulkan fails.
  std::function<void(Application& app, Checks& checks)> run;
};

// Suites `tensors`, `data_graph`, `optical_flow`.
std::vector<ApiCase> tensor_api_cases();
std::vector<ApiCase> graph_api_cases();
std::vector<ApiCase> flow_api_cases();

// Whole numbers from `first` on.
std::vector<std::int32_t> counted(std::size_t count, std::int32_t first = 0);

}  // namespace slipway::conformance
