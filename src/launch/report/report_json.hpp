// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The part of `--report` that all inputs have (schema/report.schema.json). cli/run/run_report.hpp has the whole
// document.
#pragma once

#include "json/record.hpp"
#include "launch/report/report.hpp"
#include "launch/report/samples.hpp"

namespace slipway::launch {

const json::Record<FileReport>& file_report_record();
// Times in microseconds.
const json::Record<SampleSummary>& samples_record();

}  // namespace slipway::launch
