// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// `slipway check` on scenarios: reports every error that can be found without running them.

#include "base/format.hpp"
#include "base/text/suggest.hpp"
#include "cli/confine.hpp"
#include "cli/run/interrupts.hpp"
#include "cli/scenario/options.hpp"
#include "cli/scenario/runner.hpp"
#include "cli/scenario/verbs.hpp"
#include "executors/open.hpp"
#include "launch/check/check_device.hpp"
#include "scenario/load.hpp"
#include "scenario/portable.hpp"
#include "scenario/schema.hpp"
#include "vk/snapshot.hpp"

namespace slipway::cli {
namespace {

struct ScenarioCheckOptions {
  ReportStyle style;
  std::vector<std::string> files;
  scenario::ScenarioOptions load{.checking = true};
  bool syntax = false, no_files = false, portable = false, no_cache = false;
  std::optional<std::string> device;
  std::string describe, hlsl_compiler = "glslang";
};

int describe_key(const std::string& key) {
  if (const std::optional<std::string> text = scenario::describe(key)) {
    print(*text);
    return 0;
  }
  const auto near = closest(key, scenario::describable_keys());
  print_error(
      formatted("slipway check: unknown key `{}`{}\n", key, near ? formatted("; did you mean `{}`?", *near) : ""));
  return 2;
}

void check_on_device(const scenario::Loaded& loaded, const std::string& selector, Diagnostics& diagnostics) {
  const std::optional<vk::Snapshot> device = diagnostics.take(executors::vulkan_device(selector));
  if (device) scenario::check_device(loaded, *device, diagnostics);
}

}  // namespace

bool is_scenario(const Content& content) {
  const bool recipe = content.has("version") || content.has("header");
  return content.has("commands") || (content.has("resources") && !content.has("execution") && !recipe);
}

int check_scenario(const Arguments& arguments) {
  ScenarioCheckOptions options;
  CommandLine line("slipway check", "Finds every error in scenarios, without running them.",
                   "slipway check --device scene.json");
  line.add_report_options(options.style);
  line.add_option("files", options.files, "scenario files; `-` is standard input");
  line.add_flag("--syntax", options.syntax, "check only the structure of the file");
  line.add_flag("--no-files", options.no_files, "do not open the files that it names");
  line.add_flag("--portable", options.portable, "warn about everything that other runners of the format reject");
  line.add_flag("--device", options.device, "DEVICE",
                "also check against a device: index, part of its name, or UUID; without a value the default device");
  line.add_option("--output", options.load.output, "base directory of relative `dst` paths (the scenario's directory)");
  add_hlsl_option(line, options.hlsl_compiler);
  add_cache_option(line, options.no_cache);
  line.add_option("--describe", options.describe, "explain a key of the format, such as `image.mips`, and exit");
  if (const std::optional<int> status = line.parse(arguments)) return *status;
  if (!options.describe.empty()) return describe_key(options.describe);

  Diagnostics diagnostics;
  if (options.files.empty())
    diagnostics.error(DiagnosticKind::Usage, {}, "no file is given; `slipway check --help` lists the formats");
  options.load.depth = options.syntax     ? scenario::Depth::Structure
                       : options.no_files ? scenario::Depth::References
                                          : scenario::Depth::Files;
  options.load.confine = is_confined();
  options.load.cache = cache_of(options.no_cache);
  options.load.dxc = options.hlsl_compiler == "dxc";
  for (const std::string& file : options.files) {
    Diagnostics of_file;
    if (report_interrupt(file, diagnostics)) continue;
    const scenario::Loaded loaded = load_file(file, options.load, of_file);
    if (options.portable && loaded.scenario) scenario::check_portable(*loaded.scenario, of_file);
    if (options.device && loaded.plan) check_on_device(loaded, *options.device, of_file);
    report_interrupt(file, of_file);
    diagnostics.add(of_file.release());
  }
  return report_check(diagnostics, options.style, options.files);
}

}  // namespace slipway::cli
