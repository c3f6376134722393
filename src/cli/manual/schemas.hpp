// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The JSON Schemas of documents that verbs print with --json and that no other module writes. Each is made from the
// records that write the document. `slipway schema` prints them.
#pragma once

#include <string>

#include "json/record.hpp"

namespace slipway::cli {

std::string doctor_schema();   // doctor.cpp
std::string devices_schema();  // device_lists.cpp

// `slipway diff`: one record for each kind of file.
const json::RecordTable& model_diff_table();     // model/diff.cpp
const json::RecordTable& metadata_diff_table();  // rpl/metadata/diff.cpp
const json::RecordTable& kernel_diff_table();    // zebin/diff.cpp
const json::RecordTable& runtime_check_table();  // zebin/check.cpp: `check` of kernels for releases of the runtime
const json::RecordTable& timed_compile_table();  // rpl/options.cpp: `check` and `compile` with --time

}  // namespace slipway::cli
