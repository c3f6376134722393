// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// `slipway conformance`: rows of cases in worker processes (docs/conformance.md).
#include <algorithm>
#include <cstdlib>
#include <ranges>

#include "base/format.hpp"
#include "cli/conformance/job.hpp"
#include "cli/conformance/options.hpp"
#include "cli/conformance/table.hpp"
#include "cli/devices/layer.hpp"
#include "cli/lab/expectations.hpp"
#include "cli/lab/run.hpp"
#include "cli/program.hpp"
#include "conformance/row.hpp"
#include "conformance/vulkan/clients/certify.hpp"
#include "platform/text.hpp"

namespace slipway::cli {
namespace {

bool is_wanted(std::string_view row, const std::string& wanted) {
  return row == wanted || row.starts_with(wanted + "/") || matches_pattern(wanted, row);
}

std::vector<LabCase> wanted_rows(const ConformanceOptions& options, Diagnostics& diagnostics) {
  const std::vector<std::string> names = conformance::row_names(options.rows.extent());
  for (const std::string& wanted : options.wanted) {
    if (std::ranges::any_of(names, [&](const std::string& name) { return is_wanted(name, wanted); })) continue;
    diagnostics.error(DiagnosticKind::Usage, {}, formatted("no row is called `{}`", wanted))
        .hint("`slipway conformance --list` prints the names of all rows");
  }
  std::vector<LabCase> rows;
  for (const std::string& name : names) {
    if (options.wanted.empty() ||
        std::ranges::any_of(options.wanted, [&](const std::string& wanted) { return is_wanted(name, wanted); }))
      rows.push_back({.file = name, .format = std::string(kRowFormat)});
  }
  return rows;
}

// The loader goes on without a layer that it does not find, and another driver would be judged.
void check_layers(Diagnostics& diagnostics) {
  const char* const named = std::getenv("VK_INSTANCE_LAYERS");
  for (const auto part : std::views::split(std::string_view(named ? named : ""), platform::list_separator())) {
    const std::string_view name(part);
    if (name.empty() || conformance::has_vulkan_layer(name)) continue;
    diagnostics.error(DiagnosticKind::FileNotFound, {},
                      formatted("the Vulkan loader finds no layer `{}`, which VK_INSTANCE_LAYERS names; "
                                "VK_ADD_LAYER_PATH names the directory of its manifest",
                                name));
  }
}

}  // namespace

int conformance_verb(const Arguments& arguments) {
  ConformanceOptions options;
  options.lab.rows.emplace(LabRows{.cases = {}, .table = conformance_table});
  if (const std::optional<int> status = parse_conformance_options(arguments, options)) return *status;
  Diagnostics diagnostics;
  options.lab.rows->cases = wanted_rows(options, diagnostics);
  // An engine runs without a device, unless one is named.
  const bool has_engine = options.rows.engine != "auto";
  if (has_engine && options.lab.device.empty()) options.lab.device = "cpu";
  if (!has_engine && !options.list) check_layers(diagnostics);
  if (!diagnostics.has_errors() && options.layer) {
    // The workers inherit it.
    if (Result<> set = set_layer_environment(); !set) diagnostics.add(std::move(set.error()));
  }
  if (diagnostics.has_errors()) return report(diagnostics, options.lab.style);
  if (options.list) {
    for (const LabCase& row : options.lab.rows->cases) print(row.file + "\n");
    return 0;
  }
  std::vector<std::string> words = worker_words(options);
  return run_rows(arguments, std::move(options.lab), std::move(words));
}

}  // namespace slipway::cli
