// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The report of `slipway run --report`: one shape for scenarios, models, recipes and scripts of jobs
// (schema/report.schema.json).
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "launch/report/report.hpp"
#include "recipe/report_records.hpp"

namespace slipway::model {
struct LayerComparison;
}
namespace slipway::conformance {
struct RowOutcome;
}

namespace slipway::cli {

// A kernel of a model that --layers compared.
struct LayerReport {
  std::uint64_t segment = 0, index = 0;
  std::shared_ptr<const model::LayerComparison> layer;  // of a graph that outlives the report
};

// The outcome of one input: a file, or a job of a script.
struct RunReportEntry {
  launch::FileReport outcome;
  std::optional<std::string> job;  // its id
  recipe::SessionDetails recipe;   // empty for other inputs
  std::vector<LayerReport> layers = {};
  std::optional<tensor::ComparedOutputs> compared = std::nullopt;  // of inputs without launch::Report
  std::shared_ptr<const conformance::RowOutcome> row = nullptr;    // of `slipway conformance`
};

// The command line of this process, which reports contain with the date of this call.
void note_command(std::vector<std::string> words);

std::string write_run_report(std::span<const RunReportEntry> entries, const ProcessUsage& system);
// The same of cases whose entries are JSON arrays already, with the exit status of the run.
std::string write_run_report(std::span<const std::string> entries, int status, const ProcessUsage& system);
const json::Record<RunReportEntry>& report_entry_record();
std::string run_report_schema();

}  // namespace slipway::cli
