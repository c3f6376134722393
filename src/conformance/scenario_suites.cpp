// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The suites `scenario` and `rpl`: scenarios that are made, and those of tests/corpus/conformance. A row is
// `AREA/NAME`.
#include <algorithm>

#include "base/format.hpp"
#include "conformance/corpus.hpp"
#include "conformance/scenario_case.hpp"
#include "conformance/scenarios/draw_scenarios.hpp"
#include "conformance/scenarios/scenarios.hpp"
#include "conformance/suites.hpp"

namespace slipway::conformance {
namespace {

struct Area {
  std::string_view name;
  std::vector<std::string> (*rows)();
  std::vector<ScenarioCase> (*cases)(std::string_view row);
};
constexpr Area kAreas[] = {{"barriers", barrier_kinds, barrier_scenarios},
                           {"images", image_formats, image_scenarios},
                           {"mips", mip_rows, mip_scenarios},
                           {"borders", address_modes, border_scenarios},
                           {"push_constants", push_constant_sizes, push_constant_scenarios},
                           {"specialization", specialized_types, specialization_scenarios},
                           {"tensors", tensor_formats, tensor_scenarios}};

constexpr Area kDrawAreas[] = {{"blend_factors", blend_factors, blend_factor_scenarios},
                               {"blend_operations", blend_operations, blend_operation_scenarios},
                               {"write_masks", write_masks, write_mask_scenarios},
                               {"depth", compare_operations, depth_scenarios},
                               {"stencil", stencil_operations, stencil_scenarios},
                               {"cull", cull_modes, cull_scenarios}};

constexpr std::string_view kScenarioFiles = "conformance/scenario/", kRplFiles = "conformance/rpl/", kJson = ".json";

std::vector<std::string> rows_of(std::span<const Area> areas, std::string_view directory) {
  std::vector<std::string> rows;
  for (const Area& area : areas) {
    for (const std::string& row : area.rows()) rows.push_back(formatted("{}/{}", area.name, row));
  }
  rows.append_range(names_in_corpus(directory, kJson));
  return rows;
}

Result<> run_row_of(std::span<const Area> areas, std::string_view directory, SuiteRun& run) {
  if (const CorpusFile* const file = find_in_corpus(formatted("{}{}{}", directory, run.row, kJson)))
    return run_scenario(std::string(run.row), file->text(), run.target, run.outcome);
  const std::size_t slash = run.row.find('/');
  const Area& area = *std::ranges::find(areas, run.row.substr(0, slash), &Area::name);
  const std::vector<ScenarioCase> cases = area.cases(run.row.substr(slash + 1));
  for (std::size_t i = 0; i < cases.size(); ++i) {
    if (run.progress) run.progress(i, cases.size());
    SLIPWAY_TRY_VOID(run_scenario(formatted("{}, {}", run.row, cases[i].name), cases[i].text, run.target, run.outcome));
  }
  return {};
}

}  // namespace

std::vector<std::string> scenario_rows(Extent) { return rows_of(kAreas, kScenarioFiles); }
Result<> run_scenario_row(SuiteRun& run) { return run_row_of(kAreas, kScenarioFiles, run); }
std::vector<std::string> rpl_rows(Extent) { return rows_of(kDrawAreas, kRplFiles); }
Result<> run_rpl_row(SuiteRun& run) { return run_row_of(kDrawAreas, kRplFiles, run); }

}  // namespace slipway::conformance
