// The options that all verbs for the Render Pipeline Language share (RPL page 3.19).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/command_line.hpp"
#include "rpl/compile.hpp"
#include "rpl/variants.hpp"

namespace slipway::cli {

struct RplOptions {
  ReportStyle style;
  std::vector<std::string> files;
  std::string pipeline = "graphics";
  std::vector<std::string> entries;
  std::vector<std::string> set, set_global, set_instance, option_files;
  std::string target = "vulkan1.3";
  bool split_stages = false, strip = false, debug_lines = false, optimize = false;
  bool one_module = false, skip_sets = false, skip_attributes = false;
  std::vector<std::string> limits;
  std::string variants;  // all, one, a file, or empty: the verb's default
  std::vector<std::string> values;
  std::string vary = "all";
  std::size_t max_variants = 65536;
  unsigned jobs = 0;  // 0: as many as the machine has cores
  std::vector<std::string> no_warn;
  bool time = false;
};

void add_rpl_options(CommandLine& line, RplOptions& options);

// The program and what is to be made of it.
struct RplInput {
  rpl::Program program;
  rpl::Assignment assignment;
  rpl::CompileOptions compile;
  double parse_time = 0;  // microseconds
};

// Nothing when there are errors: in the options, the files, or the program.
std::optional<RplInput> load_rpl(const RplOptions& options, Diagnostics& diagnostics);

// --variants, --values, --vary. `all_by_default`: what an empty --variants means; nothing for `one`.
std::optional<rpl::VariantOptions> variant_settings(const RplOptions& options, const RplInput& input,
                                                    bool all_by_default, Diagnostics& diagnostics);

// Takes out the warnings of --no-warn, then as `report`. `time` goes to standard error, into the JSON object with
// --json.
int report_rpl(Diagnostics& diagnostics, const RplOptions& options, const rpl::CompileTimes* times, double parse_time,
               std::FILE* json_to = stderr);

}  // namespace slipway::cli
