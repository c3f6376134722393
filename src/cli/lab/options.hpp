// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The command line of a run of many files: its own options, and those of the formats, which its workers take.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "cli/lab/lab_case.hpp"
#include "cli/option_groups.hpp"

namespace slipway::cli {

struct LabResults;  // results/result.hpp

// Of `slipway bench`.
struct BenchOptions {
  std::uint32_t warmup = 3, repeat = 20;  // of a round
  std::uint32_t rounds = 1;
  std::string csv_path;
};

// Cases that are not files, of `slipway conformance`.
struct LabRows {
  std::vector<LabCase> cases;
  std::string (*table)(const LabResults& results);  // is printed after the run
};

struct LabOptions : RunGroup {
  std::vector<std::string> files;  // files, directories, @lists
  std::string results_path, resume_path, junit_path, html_path, baseline_path;
  std::string shard, shard_times_path, expect_path;
  std::uint32_t jobs = 1;              // worker processes for each device
  std::optional<double> case_timeout;  // seconds for a whole case
  std::optional<BenchOptions> bench;
  std::optional<LabRows> rows;  // instead of files

  std::string_view verb() const { return bench ? "bench" : rows ? "conformance" : "run"; }
};

// The arguments of a run, divided.
struct DividedArguments {
  std::vector<std::string> own;      // options of the run, and files
  std::vector<std::string> workers;  // options that a format has; some are also in `own`
};

// Whether the arguments are those of a run of many files, and not of one file.
bool is_lab(const Arguments& arguments);

// `is_bench`: those of `slipway bench`.
DividedArguments divide_arguments(const std::vector<std::string>& words, bool is_bench = false);

// Returns an exit status if the verb has to end. Errors in the options of formats are reported too. `options` has
// `bench` if they are those of `slipway bench`.
void add_lab_options(CommandLine& line, LabOptions& options);
std::optional<int> parse_lab_options(const Arguments& arguments, LabOptions& options);
// Of `slipway run lab --help`, of completions and of manual pages.
LineDescription describe_lab();

// The options of workers that files of a format take. In values, `{case}` becomes the name of the case with `_` for
// `/`,
// `{directory}` the directory of its file, and `{stem}` the name of its file without directory and suffix.
std::vector<std::string> words_for(std::string_view format, const std::vector<std::string>& words,
                                   const std::string& file);

// The values of options of workers that name an output file.
std::vector<Path> output_files(const std::vector<std::string>& words);

// What workers of a benchmark are called with, after their other arguments.
std::vector<std::string> words_of_bench(const BenchOptions& options);

// Options of the workers that no format of the run has, and options that name one output file for several cases.
void check_worker_options(const std::vector<std::string>& words, const std::vector<std::string>& formats,
                          Diagnostics& diagnostics);
// A case, as far as the names of its outputs depend on it.
struct NamedCase {
  std::string file, format;
};
// Outputs with `{case}` or `{stem}` in their names that are the same file for two cases: `a/b.json` and `a_b.json`.
void check_output_names(const std::vector<std::string>& words, std::span<const NamedCase> cases,
                        Diagnostics& diagnostics);

}  // namespace slipway::cli
