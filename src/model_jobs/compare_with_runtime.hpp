// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Compares a run of an ONNX or TensorFlow Lite model with a run of the same file in the runtime of its format
// (docs/import.md#comparing-with-the-runtime-of-the-format).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "convert/read_model.hpp"
#include "launch/report/report.hpp"
#include "model_jobs/format_runtime.hpp"

namespace slipway::model {

class ModelJob;

struct RuntimeCheck {
  FormatRuntime runtime;
  Path file;                       // of the model
  std::string name;                // of the file in messages
  convert::ReadModelOptions read;  // with which the job's model was opened
  // Of all outputs. Without both: nothing for integers, 2^-12 of the largest magnitude of the output for floats, or two
  // units in the last place of this magnitude, if these are more.
  std::optional<double> absolute, relative;
  std::optional<std::chrono::nanoseconds> limit;  // of the runtime
  bool nodes = false;                             // also the results of all nodes
};

struct RuntimeComparison {
  std::string runtime;  // with its version
  std::vector<launch::ExpectationOutcome> outputs;
  std::vector<launch::ExpectationOutcome> nodes;  // in the order of the file, by the labels of nodes
  tensor::ComparedOutputs compared;               // of the outputs
};

// Whether the runtime is for the format of the file. Errors: usage.
Result<> check_runtime(FormatRuntime runtime, Bytes file, const std::string& name);

// The job has run, with `values`. What differs is an error; `report` gets what was compared. For `nodes` the model runs
// again with the results of all nodes as outputs; the first node that differs is named. Empty after errors of
// run_in_runtime and of the second run.
std::optional<RuntimeComparison> compare_with_runtime(const ModelJob& job, const RuntimeCheck& check,
                                                      launch::Report& report, Diagnostics& diagnostics);

}  // namespace slipway::model
