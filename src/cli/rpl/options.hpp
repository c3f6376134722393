// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The options that all verbs for the Render Pipeline Language share (docs/spec/rpl.md#command-line).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/command_line.hpp"
#include "rpl/compile.hpp"
#include "rpl/variants/variants.hpp"

namespace slipway::cli {

struct RplOptions {
  bool checking = false;  // `check`
  ReportStyle style;
  std::vector<std::string> files;
  std::string pipeline = "graphics";
  std::vector<std::string> entries;
  std::vector<std::string> set, set_global, set_instance, option_files;
  std::string target = "vulkan1.3";
  bool split_stages = false, strip = false, debug_lines = false, optimize = false;
  bool one_module = false, skip_sets = false, skip_attributes = false;
  std::vector<std::string> limits;
  std::string variants;  // all, one, or a file; empty: the default of the verb
  std::vector<std::string> values;
  std::string vary = "all";
  std::size_t max_variants = 65536;
  unsigned jobs = 0;  // 0: one for each core of the machine
  std::vector<std::string> no_warn;
  std::vector<std::string> passes, materials;  // of a project file; empty: all
  bool time = false;
};

void add_rpl_options(CommandLine& line, RplOptions& options);

// The part of the options that is the same for all programs. `entry_points` are those of the command line.
rpl::CompileOptions compile_options(const RplOptions& options, Diagnostics& diagnostics);
unsigned thread_count(const RplOptions& options);

// The program and how to compile it.
struct RplInput {
  rpl::Program program;
  rpl::Assignment assignment;
  rpl::CompileOptions compile;
  double parse_time = 0;  // microseconds
};

// Returns nothing if there are errors in the options, the files, or the program.
std::optional<RplInput> load_rpl(const RplOptions& options, Diagnostics& diagnostics);

// Reads --variants, --values and --vary. Returns nothing for one variant; `all_by_default` is the meaning of an empty
// --variants.
std::optional<rpl::VariantOptions> variant_settings(const RplOptions& options, const RplInput& input,
                                                    bool all_by_default, Diagnostics& diagnostics);

// Removes the warnings of --no-warn and then works as `report`. The times go to standard error, or with --json into the
// JSON object.
int report_rpl(Diagnostics& diagnostics, const RplOptions& options, const rpl::CompileTimes* times, double parse_time,
               std::FILE* json_to = stderr);

}  // namespace slipway::cli
