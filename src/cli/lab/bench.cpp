// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cli/lab/bench.hpp"

#include <algorithm>
#include <vector>

#include "base/format.hpp"
#include "cli/lab/summary.hpp"
#include "cli/run_times.hpp"
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

TableRow row_of(const CaseResult& result, const CaseSamples& list) {
  const SampleStatistics all = statistics_of(list.seconds);
  return {list.name.empty() ? result.key() : formatted("{} ({})", result.key(), list.name),
          formatted("{}", all.summary.count),
          duration_text(all.quartiles.median),
          duration_text(all.summary.p95),
          duration_text(all.summary.p99),
          duration_text(all.summary.min),
          formatted("{:.1f} %", all.spread()),
          device_state_text(result.state.value_or(DeviceState())),
          device_of(result)};
}

// The first column and those after the numbers begin at the left; `columns` are shown.
std::string aligned(std::span<const TableRow> rows, std::span<const std::size_t> columns) {
  constexpr std::size_t kFirstNumber = 1, kLastNumber = 6;
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

SampleStatistics statistics_of(const std::vector<double>& samples) {
  launch::Samples all;
  for (const double sample : samples) all.add(sample);
  return {all.summary(), quartiles_of(samples)};
}

std::string bench_table(std::span<const CaseResult> cases) {
  constexpr std::size_t kStateColumn = 7, kDeviceColumn = 8;
  std::vector<TableRow> rows = {
      {"case", "runs", "median", "p95", "p99", "minimum", "spread", "clock, temperature", "device"}};
  std::string without;
  for (const CaseResult& result : cases) {
    for (const CaseSamples& list : result.samples) rows.push_back(row_of(result, list));
    if (result.samples.empty() && is_success(result.verdict))
      without += formatted("{}: ran, but has no times of single runs\n", result.key());
  }
  if (rows.size() == 1) return without;
  std::vector<std::size_t> columns = {0, 1, 2, 3, 4, 5, 6};
  const auto measured = std::span(rows).subspan(1);
  if (std::ranges::any_of(measured, [](const TableRow& row) { return !row[kStateColumn].empty(); }))
    columns.push_back(kStateColumn);
  const bool one_device =
      std::ranges::all_of(measured, [&](const TableRow& row) { return row[kDeviceColumn] == rows[1][kDeviceColumn]; });
  if (!one_device) columns.push_back(kDeviceColumn);
  std::string text = aligned(rows, columns) + without;
  if (one_device && !rows[1][kDeviceColumn].empty()) text += formatted("on {}\n", rows[1][kDeviceColumn]);
  return text;
}

std::string bench_csv(std::span<const CaseResult> cases) {
  std::string text = "file,name,device,run,milliseconds\n";
  for (const CaseResult& result : cases) {
    const std::string device = device_of(result);
    for (const CaseSamples& list : result.samples) {
      for (std::size_t i = 0; i < list.seconds.size(); ++i) {
        text += formatted("{},{},{},{},{:.7g}\n", csv_field(result.key()), csv_field(list.name), csv_field(device),
                          i + 1, list.seconds[i] * 1e3);
      }
    }
  }
  return text;
}

}  // namespace slipway::cli
