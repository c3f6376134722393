// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The suites whose rows are calls of Vulkan: `tensors`, `data_graph`, `optical_flow`. A row is a case.
#include <algorithm>
#include <stdexcept>

#include "conformance/suites.hpp"
#include "conformance/vulkan/api_cases.hpp"

namespace slipway::conformance {
namespace {

std::vector<std::string> rows_of(const std::vector<ApiCase>& cases) {
  std::vector<std::string> rows;
  for (const ApiCase& one : cases) rows.push_back(one.row);
  return rows;
}

Result<> run_case(const std::vector<ApiCase>& cases, SuiteRun& run) {
  const ApiCase& one = *std::ranges::find(cases, run.row, &ApiCase::row);
  FailedCase made{.name = one.row, .why = {}, .graph = {}, .inputs = {}, .scenario = {}};
  auto device = run.target.vulkan_index();
  if (!device) return run.outcome.refuse(std::move(device.error()), std::move(made));
  Application app;
  app.validation_ = false;
  app.device_index_ = *device;
  Checks checks;
  try {
    one.run(app, checks);
    made.why = checks.why();
  } catch (const Lacking& lacking) {
    run.outcome.lack(lacking.what());
    return {};
  } catch (const std::runtime_error& problem) {
    made.why = problem.what();
  }
  if (made.why.empty())
    ++run.outcome.passed;
  else
    run.outcome.fail(std::move(made));
  return {};
}

}  // namespace

std::vector<std::string> tensor_rows(Extent) { return rows_of(tensor_api_cases()); }
Result<> run_tensor_row(SuiteRun& run) { return run_case(tensor_api_cases(), run); }
std::vector<std::string> data_graph_rows(Extent) { return rows_of(graph_api_cases()); }
Result<> run_data_graph_row(SuiteRun& run) { return run_case(graph_api_cases(), run); }
std::vector<std::string> optical_flow_rows(Extent) { return rows_of(flow_api_cases()); }
Result<> run_optical_flow_row(SuiteRun& run) { return run_case(flow_api_cases(), run); }

}  // namespace slipway::conformance
