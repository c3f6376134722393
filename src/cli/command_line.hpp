// Command lines: CLI11 with the habits of this program (style page, CLI).
//
//   CommandLine line("slipway devices", "Lists the Vulkan devices.", "slipway devices --json");
//   line.app.add_flag("--json", json, "...");
//   if (const std::optional<int> status = line.parse(arguments)) return *status;
#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>
#include <vector>

#include "cli/terminal.hpp"

namespace slipway::cli {

using Arguments = std::vector<std::string>;

class CommandLine {
 public:
  CommandLine(const std::string& name, const std::string& what, const std::string& example);

  // An exit status when the program is to end here: 0 after help or version, 2 after a mistake, which is explained with
  // the nearest option that exists.
  std::optional<int> parse(const Arguments& arguments);

  // --json, --strict, --max-errors
  void add_report_options(ReportStyle& style);

  CLI::App app;

 private:
  std::string name_;
};

}  // namespace slipway::cli
