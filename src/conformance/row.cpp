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
  Result<> (*run)(std::string_view row, const RowRequest& request, CaseRunner& runner, const ItemProgress& progress);
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

Result<RowOutcome> run_row(const RowRequest& request, model::GraphDevice& device, const ItemProgress& progress) {
  const std::string_view name = request.name;
  const std::string_view suite = name.substr(0, name.find('/'));
  const std::string_view row = name.substr(std::min(suite.size() + 1, name.size()));
  const auto entry = std::ranges::find(kEntries, suite, [](const Entry& e) { return e.suite.name; });
  if (entry == kEntries.end() || !std::ranges::contains(entry->rows(request.extent), row))
    return fail(DiagnosticKind::UnknownReference, {}, formatted("no suite has a row `{}`", name));
  CaseRunner runner(device, request.together);
  SLIPWAY_TRY_VOID(entry->run(row, request, runner, progress));
  SLIPWAY_TRY_VOID(runner.finish());
  return std::move(runner.outcome());
}

}  // namespace slipway::conformance
