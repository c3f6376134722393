// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cli/lab/bench.hpp"

#include <algorithm>
#include <array>
#include <span>
#include <utility>
#include <vector>

#include "base/format.hpp"
#include "cli/lab/results/summary.hpp"
#include "cli/run/run_times.hpp"
#include "json/document.hpp"

namespace slipway::cli {
namespace {

using TableRow = std::vector<std::string>;

std::string duration_text(double seconds) {
  if (seconds < 1e-3) return formatted("{:.3g} us", seconds * 1e6);
  return seconds < 1 ? formatted("{:.3g} ms", seconds * 1e3) : formatted("{:.3g} s", seconds);
}

// What the case itself ran on, which may be the CPU engine; otherwise the device of its worker.
std::string device_of(const CaseResult& result) {
  const auto document = json::parse(make_source("files", result.files));
  if (document) {
    for (const json::Value file : (*document)->root()) {
      if (const std::string name = text_in(file["device"]); !name.empty()) return name;
    }
  }
  return result.device.name;
}

// The lists of samples of a case: the name of each, and its rounds.
std::vector<std::pair<std::string_view, const Rounds*>> lists_of(const LabResults& results, const CaseResult& result) {
  std::vector<std::pair<std::string_view, const Rounds*>> lists;
  const std::string key = result.key();
  for (auto at = results.samples.lower_bound({key, ""}); at != results.samples.end() && at->first.first == key; ++at)
    lists.emplace_back(at->first.second, &at->second);
  return lists;
}

TableRow row_of(const CaseResult& result, std::string_view name, const Rounds& rounds) {
  const SampleStatistics all = statistics_of(rounds);
  return {name.empty() ? result.key() : formatted("{} ({})", result.key(), name),
          formatted("{}", all.summary.count),
          duration_text(all.median),
          duration_text(all.summary.p95),
          duration_text(all.summary.p99),
          duration_text(all.summary.min),
          formatted("{:.1f} %", all.spread()),
          formatted("{}", rounds.size()),
          formatted("{:.1f} %", all.spread_of_rounds()),
          device_state_text(result.state.value_or(DeviceState())),
          device_of(result)};
}

// The first column and those after the numbers begin at the left; `columns` are shown.
std::string aligned(std::span<const TableRow> rows, std::span<const std::size_t> columns) {
  constexpr std::size_t kFirstNumber = 1, kLastNumber = 8;
  std::string text;
  for (const TableRow& row : rows) {
    std::string line;
    for (const std::size_t column : columns) {
      std::size_t width = 0;
      for (const TableRow& one : rows) width = std::max(width, one[column].size());
      const bool is_number = column >= kFirstNumber && column <= kLastNumber;
      if (!line.empty()) line += "  ";
      line += is_number ? formatted("{:>{}}", row[column], width) : formatted("{:<{}}", row[column], width);
    }
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + "\n";
  }
  return text;
}

}  // namespace

SampleStatistics statistics_of(const Rounds& rounds) {
  launch::Samples all;
  std::vector<double> pooled, medians;
  for (const std::vector<double>& round : rounds) {
    for (const double sample : round) all.add(sample);
    pooled.append_range(round);
    medians.push_back(quartiles_of(round).median);
  }
  const auto [lowest, highest] = std::ranges::minmax(medians);
  return {all.summary(), quartiles_of(std::move(pooled)), quartiles_of(medians).median, lowest, highest};
}

std::string bench_table(const LabResults& results) {
  constexpr std::size_t kRoundsColumn = 7, kStateColumn = 9, kDeviceColumn = 10;
  std::vector<TableRow> rows = {{"case", "runs", "median", "p95", "p99", "minimum", "spread", "rounds",
                                 "spread of rounds", "clock, temperature", "device"}};
  std::string without;
  for (const CaseResult& result : results.cases) {
    const auto lists = lists_of(results, result);
    for (const auto& [name, rounds] : lists) rows.push_back(row_of(result, name, *rounds));
    if (lists.empty() && is_success(result.verdict))
      without += formatted("{}: ran, but has no times of single runs\n", result.key());
  }
  if (rows.size() == 1) return without;
  std::vector<std::size_t> columns = {0, 1, 2, 3, 4, 5, 6};
  const auto measured = std::span(rows).subspan(1);
  if (std::ranges::any_of(measured, [](const TableRow& row) { return row[kRoundsColumn] != "1"; }))
    columns.append_range(std::array{kRoundsColumn, kRoundsColumn + 1});
  if (std::ranges::any_of(measured, [](const TableRow& row) { return !row[kStateColumn].empty(); }))
    columns.push_back(kStateColumn);
  const bool one_device =
      std::ranges::all_of(measured, [&](const TableRow& row) { return row[kDeviceColumn] == rows[1][kDeviceColumn]; });
  if (!one_device) columns.push_back(kDeviceColumn);
  std::string text = aligned(rows, columns) + without;
  if (one_device && !rows[1][kDeviceColumn].empty()) text += formatted("on {}\n", rows[1][kDeviceColumn]);
  return text;
}

std::string bench_csv(const LabResults& results) {
  std::string text = "file,name,device,round,run,milliseconds\n";
  for (const CaseResult& result : results.cases) {
    const std::string device = device_of(result);
    for (const auto& [name, rounds] : lists_of(results, result)) {
      for (std::size_t round = 0; round < rounds->size(); ++round) {
        for (std::size_t i = 0; i < (*rounds)[round].size(); ++i) {
          text += formatted("{},{},{},{},{},{:.7g}\n", csv_field(result.key()), csv_field(name), csv_field(device),
                            round + 1, i + 1, (*rounds)[round][i] * 1e3);
        }
      }
    }
  }
  return text;
}

}  // namespace slipway::cli
