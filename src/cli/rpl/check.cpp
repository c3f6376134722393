// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// `slipway check` on programs and project files of the Render Pipeline Language: compiles every variant and writes
// nothing.
#include <algorithm>

#include "base/format.hpp"
#include "cli/rpl/options.hpp"
#include "cli/rpl/project.hpp"
#include "cli/rpl/verbs.hpp"

namespace slipway::cli {
namespace {

// Resolves all variants, or the one that the options choose. Returns a summary of the variants.
std::string check(const RplOptions& options, RplInput& input, rpl::CompileTimes& times, Diagnostics& diagnostics) {
  const std::optional<rpl::VariantOptions> variants = variant_settings(options, input, true, diagnostics);
  if (diagnostics.has_errors()) return "";
  if (!variants) {
    rpl::Compiler compiler;
    compiler.compile(input.program, input.assignment, input.compile, diagnostics, &times);
    return "";
  }
  const std::optional<rpl::Variants> found = rpl::find_variants(input.program, *variants, diagnostics);
  return found ? rpl::summary_text(input.program, *variants, *found) : "";
}

}  // namespace

int check_rpl(const Arguments& arguments) {
  RplOptions options;
  options.checking = true;
  CommandLine line("slipway check rpl",
                   "Finds every error in a program of the Render Pipeline Language, in each of its variants.",
                   "slipway check pass.rpl material.rpl --entry vertex=vertex_main --entry fragment=fragment_main");
  add_rpl_options(line, options);
  if (const std::optional<int> status = line.parse(arguments)) return *status;

  Diagnostics diagnostics;
  rpl::CompileTimes times;
  double parse_time = 0;
  std::string summary;
  if (std::ranges::any_of(options.files, is_project_file)) {
    check_project_usage(options, arguments, diagnostics);
    if (!diagnostics.has_errors()) summary = check_project(options, diagnostics);
  } else if (std::optional<RplInput> input = load_rpl(options, diagnostics)) {
    parse_time = input->parse_time;
    summary = check(options, *input, times, diagnostics);
  }
  diagnostics.enforce_rules();
  const int status = report_rpl(diagnostics, options, options.time ? &times : nullptr, parse_time, stdout);
  if (options.style.json) return status;
  if (status == 0) {
    for (const std::string& file : options.files) print_status(formatted("{}: ok\n", file));
  }
  print(summary);
  return status;
}

}  // namespace slipway::cli
