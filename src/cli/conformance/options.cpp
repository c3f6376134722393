// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cli/conformance/options.hpp"

#include "base/format.hpp"
#include "conformance/row.hpp"

namespace slipway::cli {
std::optional<int> parse_conformance_options(const Arguments& arguments, ConformanceOptions& options) {
  std::string known;
  for (const conformance::Suite& suite : conformance::suites())
    known += formatted(" `{}`: {}.", suite.name, suite.what);
  CommandLine line("slipway conformance", "Judges drivers, layers, and engines of TOSA graphs. Suites:" + known,
                   "slipway conformance tosa/CONV2D --device 0 --native --results conv.jsonl");
  line.add_option("rows", options.wanted,
                  "suites, and rows or patterns of them, such as `tosa/ADD` or `tosa/*/f16*` (all rows)")
      .values(0, -1)
      .take_all();
  line.add_flag("--list", options.list, "print the names of the rows, and run nothing");
  add_row_options(line, options.rows);
  line.add_flag("--layer", options.layer, "with Slipway's Vulkan layer; implies --native")
      .excludes("--native")
      .excludes("--engine");
  add_lab_options(line, options.lab);
  return line.parse(arguments);
}

std::vector<std::string> worker_words(const ConformanceOptions& options) {
  const RowOptions& rows = options.rows;
  std::vector<std::string> words = {formatted("--seed={}", rows.seed)};
  if (rows.whole) words.emplace_back("--whole");
  words.push_back(rows.native || options.layer ? "--native" : "--engine=" + rows.engine);
  if (rows.no_cache) words.emplace_back("--no-cache");
  if (rows.no_fuse) words.emplace_back("--no-fuse");
  if (rows.pin) words.emplace_back("--pin");
  if (rows.threads != 0) words.push_back(formatted("--threads={}", rows.threads));
  if (!rows.failures.empty()) words.push_back("--failures=" + rows.failures);
  if (options.lab.timeout) words.push_back(formatted("--timeout={}", *options.lab.timeout));
  return words;
}

}  // namespace slipway::cli
