// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cli/conformance/table.hpp"

#include <algorithm>
#include <map>

#include "base/format.hpp"
#include "cli/lab/results/summary.hpp"
#include "json/document.hpp"
#include "tosa/data_type.hpp"

namespace slipway::cli {
namespace {

// What came out of the cases of a cell.
struct Cell {
  std::uint64_t passed = 0, failed = 0, unsupported = 0;
  std::string ended;  // `crashed`, `timed-out` or `error`: of a row without counts

  std::string text() const {
    if (!ended.empty()) return ended;
    if (failed > 0) return formatted("{} of {} wrong", failed, passed + failed);
    if (passed == 0) return unsupported > 0 ? "no" : "";
    return unsupported > 0 ? formatted("{} (no: {})", passed, unsupported) : formatted("{}", passed);
  }
};

struct SuiteTable {
  std::vector<std::string> lines, columns;  // in the order of their first row
  std::map<std::pair<std::string, std::string>, Cell> cells;
  double of_bound = 0;
  std::string nearest;
};

void add_once(std::vector<std::string>& to, const std::string& name) {
  if (!std::ranges::contains(to, name)) to.push_back(name);
}

// Columns beside those of types.
constexpr std::string_view kOtherColumns[] = {"codes", "statistics", "random"};

// `CONV2D/i8 i8 i32` of the suite `tosa`: the line `CONV2D`, the column `i8`. `models/softmax f32`: the line `models`,
// the column `cases`.
void add_row(SuiteTable& table, std::string_view suite, std::string_view row, const CaseResult& result) {
  const std::string line(row.substr(0, row.find('/')));
  const std::string_view what = row.substr(std::min(line.size() + 1, row.size()));
  std::string column(what.substr(0, what.find(' ')));
  const bool is_column = tosa::data_type_from_name(column) || std::ranges::contains(kOtherColumns, column);
  if (suite != "tosa" || !is_column) column = "cases";
  add_once(table.lines, line);
  add_once(table.columns, column);
  Cell& cell = table.cells[{line, column}];
  const auto document = json::parse(make_source("files", result.files));
  const json::Value counts = document ? (*document)->root()[std::size_t{0}]["row"] : json::Value();
  if (!counts) {
    if (result.verdict == CaseVerdict::Skipped)
      ++cell.unsupported;
    else
      cell.ended = name_of(result.verdict);
    return;
  }
  cell.passed += static_cast<std::uint64_t>(number_in(counts["passed"]));
  cell.failed += static_cast<std::uint64_t>(number_in(counts["failed"]));
  cell.unsupported += static_cast<std::uint64_t>(number_in(counts["unsupported"]));
  if (const double of_bound = number_in(counts["of_bound"]); of_bound > table.of_bound) {
    table.of_bound = of_bound;
    table.nearest = text_in(counts["nearest"]);
  }
}

// Types before other columns.
std::size_t order_of(const std::string& column) {
  if (const auto type = tosa::data_type_from_name(column)) return static_cast<std::size_t>(*type);
  constexpr std::size_t kTypes = 1000;  // more than there are
  return kTypes + static_cast<std::size_t>(std::ranges::find(kOtherColumns, column) - kOtherColumns);
}

std::string suite_text(const std::string& suite, SuiteTable table) {
  std::ranges::stable_sort(table.columns, {}, order_of);
  std::vector<std::vector<std::string>> rows = {{suite}};
  rows[0].append_range(table.columns);
  for (const std::string& line : table.lines) {
    std::vector<std::string>& row = rows.emplace_back(std::vector{line});
    for (const std::string& column : table.columns) {
      const auto cell = table.cells.find({line, column});
      row.push_back(cell == table.cells.end() ? "" : cell->second.text());
    }
  }
  std::string text;
  for (const std::vector<std::string>& row : rows) {
    std::string line;
    for (std::size_t i = 0; i < row.size(); ++i) {
      std::size_t width = 0;
      for (const auto& one : rows) width = std::max(width, one[i].size());
      line += i == 0 ? formatted("{:<{}}", row[i], width) : formatted("  {:>{}}", row[i], width);
    }
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + "\n";
  }
  if (table.of_bound > 0)
    text += formatted("the largest error is {:.2f} of its bound: {}\n", table.of_bound, table.nearest);
  return text + "\n";
}

}  // namespace

std::string conformance_table(const LabResults& results) {
  std::vector<std::string> suites;
  std::map<std::string, SuiteTable> tables;
  for (const CaseResult& result : results.cases) {
    const std::string_view name = result.file;
    const std::string suite(name.substr(0, name.find('/')));
    add_once(suites, suite);
    add_row(tables[suite], suite, name.substr(std::min(suite.size() + 1, name.size())), result);
  }
  std::string text;
  for (const CaseResult& result : results.cases) {
    const DeviceIdentity& device = result.device;
    const std::string line =
        formatted("device: {}{}\n", device.name, device.driver.empty() ? "" : formatted(" ({})", device.driver));
    if (!device.name.empty() && !text.contains(line)) text += line;
  }
  if (!text.empty()) text += "\n";
  for (const std::string& suite : suites) text += suite_text(suite, tables[suite]);
  return text;
}

}  // namespace slipway::cli
