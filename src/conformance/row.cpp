// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "conformance/row.hpp"

#include <algorithm>
#include <array>
#include <ranges>

#include "base/format.hpp"
#include "conformance/suites.hpp"

namespace slipway::conformance {
namespace {

struct Entry {
  Suite suite;
  std::vector<std::string> (*rows)(Extent extent);
  Result<> (*run)(SuiteRun& run);
};
constexpr std::array kEntries = {
    Entry{{"tosa",
           "every operator with each of its types: shapes, attributes, special values, all codes of small types, "
           "the statistics of dot products, random cases"},
          operator_rows,
          run_operator_row},
    Entry{{"graphs", "whole graphs: blocks of networks, random graphs, views, values that are returned or used twice"},
          graph_rows,
          run_graph_row},
    Entry{{"tensors",
           "VK_ARM_tensors: formats, strides, copies, memory, aliased images, descriptors, accesses of shaders"},
          tensor_rows,
          run_tensor_row},
    Entry{
        {"data_graph",
         "VK_ARM_data_graph: constants, sessions, several graphs, state, barriers, resubmission, properties, threads"},
        data_graph_rows,
        run_data_graph_row},
    Entry{{"optical_flow", "VK_ARM_data_graph_optical_flow: queries, and the motion of an image"},
          optical_flow_rows,
          run_optical_flow_row},
    Entry{
        {"scenario",
         "compute shaders: barriers, images of all formats, mips, borders, push and specialization constants, tensors"},
        scenario_rows,
        run_scenario_row},
    Entry{{"rpl",
           "pipelines of the Render Pipeline Language: what they draw and compute, each value of blending, depths, "
           "stencils, culling"},
          rpl_rows,
          run_rpl_row},
    Entry{{"known_wrong",
           "graphs, shaders and recipes that some runtime or driver has computed wrongly without an error"},
          known_wrong_rows,
          run_known_wrong_row},
};

}  // namespace

std::span<const Suite> suites() {
  static const std::vector<Suite> list(std::from_range, kEntries | std::views::transform(&Entry::suite));
  return list;
}

std::vector<std::string> row_names(Extent extent) {
  std::vector<std::string> names;
  for (const Entry& entry : kEntries) {
    for (const std::string& row : entry.rows(extent)) names.push_back(formatted("{}/{}", entry.suite.name, row));
  }
  return names;
}

Result<RowOutcome> run_row(const RowRequest& request, RunTarget& target, const ItemProgress& progress) {
  const std::string_view name = request.name;
  const std::string_view suite = name.substr(0, name.find('/'));
  const std::string_view row = name.substr(std::min(suite.size() + 1, name.size()));
  const auto entry = std::ranges::find(kEntries, suite, [](const Entry& e) { return e.suite.name; });
  if (entry == kEntries.end() || !std::ranges::contains(entry->rows(request.extent), row))
    return fail(DiagnosticKind::UnknownReference, {}, formatted("no suite has a row `{}`", name));
  SuiteRun run{.row = row, .request = request, .target = target, .progress = progress};
  SLIPWAY_TRY_VOID(entry->run(run));
  return std::move(run.outcome);
}

}  // namespace slipway::conformance
