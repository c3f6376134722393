// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// `slipway run` on many files, `slipway bench`, and the run of `slipway conformance`.
#pragma once

#include "cli/command_line.hpp"

namespace slipway::cli {

struct LabOptions;

int run_lab(const Arguments& arguments);
// Of options with `rows`; `worker_words` are the arguments of their workers.
int run_rows(const Arguments& arguments, LabOptions options, std::vector<std::string> worker_words);
// `slipway bench`
int bench_verb(const Arguments& arguments);

}  // namespace slipway::cli
