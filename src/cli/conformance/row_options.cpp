// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cli/conformance/row_options.hpp"

namespace slipway::cli {

void add_row_options(CommandLine& line, RowOptions& options) {
  line.add_flag("--whole", options.whole, "all cases of each row, instead of a sample");
  line.add_option("--seed", options.seed, "the first seed of random cases (1)");
  add_engine_option(line, options);
  add_engine_thread_options(line, options);
  add_fusion_option(line, options.no_fuse);
  line.add_flag("--native", options.native, "only graphs that the driver, or a layer, runs itself (VK_ARM_data_graph)")
      .excludes("--engine");
  line.add_option("--failures", options.failures,
                  "write the first case that fails of each row into this directory: the graph and its inputs")
      .not_empty();
  add_cache_option(line, options.no_cache);
}

std::optional<int> parse_row_options(const Arguments& arguments, RowOptions& options) {
  CommandLine line("slipway conformance", "Runs a row.", "");
  add_row_options(line, options);
  add_device_option(line, options.device);
  add_timeout_option(line, options.timeout);
  line.add_option("row", options.row, "the row").required();
  return line.parse(arguments);
}

}  // namespace slipway::cli
