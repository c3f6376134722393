// slipway check: everything that can be known about scenarios without running them.

#include "base/format.hpp"
#include "base/suggest.hpp"
#include "cli/run_files.hpp"
#include "cli/scenario_verbs.hpp"
#include "gpu/device/choose_device.hpp"
#include "gpu/device/instance.hpp"
#include "launch/check/check_device.hpp"
#include "scenario/load.hpp"
#include "scenario/portable.hpp"
#include "scenario/schema.hpp"

namespace slipway::cli {
namespace {

struct CheckSettings {
  ReportStyle style;
  std::vector<std::string> files;
  scenario::ScenarioOptions load{.checking = true};
  bool syntax = false, no_files = false, portable = false, on_device = false, no_cache = false;
  std::string device, describe;
};

int describe_key(const std::string& key) {
  if (const std::optional<std::string> text = scenario::describe(key)) {
    print(*text);
    return 0;
  }
  const auto near = closest(key, scenario::describable_keys());
  print_error(formatted("slipway check: no key `{}`{}\n", key, near ? formatted("; did you mean `{}`?", *near) : ""));
  return 2;
}

void check_on_device(const scenario::Loaded& loaded, const std::string& selector, Diagnostics& diagnostics) {
  const std::optional<gpu::Instance> instance = diagnostics.take(gpu::create_instance());
  if (!instance) return;
  const std::optional<std::size_t> chosen = diagnostics.take(gpu::choose_device(instance->snapshots(), selector));
  if (!chosen) return;
  const gpu::Snapshot& device = instance->snapshots()[*chosen];
  scenario::check_device(loaded, launch::needs_of(*loaded.plan), device, diagnostics);
}

}  // namespace

bool is_scenario(const Content& content) {
  return (content.has("resources") || content.has("commands")) && !content.has("execution");
}

int check_scenario(const Arguments& arguments) {
  CheckSettings settings;
  CommandLine line("slipway check", "Finds every mistake in scenarios, without running them.",
                   "slipway check --device scene.json");
  line.add_report_options(settings.style);
  line.add_option("files", settings.files, "scenario files; `-` is standard input");
  line.add_flag("--syntax", settings.syntax, "look at the structure of the file alone");
  line.add_flag("--no-files", settings.no_files, "do not open the files that it names");
  line.add_flag("--portable", settings.portable, "name everything that other runners of the format reject");
  line.add_option("--device", settings.device,
                  "check against this device too: index, part of its name, UUID; bare: the default device")
      .values(0, 1);
  line.add_option("--output", settings.load.output,
                  "base directory of relative `dst` paths (the scenario's directory)");
  line.add_flag("--confine", settings.load.confine, "refuse paths that leave the scenario's directory");
  line.add_flag("--no-cache", settings.no_cache, "do not use the cache of compiled shaders");
  line.add_option("--describe", settings.describe, "explain a key of the format, `image.mips`, and end");
  Arguments given = arguments;
  for (std::string& argument : given) {  // an optional value takes `=`
    if (argument == "--device") {
      settings.on_device = true;
      argument.clear();
    } else if (argument.starts_with("--device=")) {
      settings.on_device = true;
    }
  }
  std::erase(given, "");
  if (const std::optional<int> status = line.parse(given)) return *status;
  if (!settings.describe.empty()) return describe_key(settings.describe);

  Diagnostics diagnostics;
  if (settings.files.empty()) diagnostics.error(DiagnosticKind::Usage, {}, "no scenario file is given");
  settings.load.depth = settings.syntax     ? scenario::Depth::Structure
                        : settings.no_files ? scenario::Depth::References
                                            : scenario::Depth::Files;
  if (!settings.no_cache) settings.load.cache = Cache::of_user();
  for (const std::string& file : settings.files) {
    Diagnostics of_file;
    const scenario::Loaded loaded = load_file(file, settings.load, of_file);
    if (settings.portable && loaded.scenario) scenario::check_portable(*loaded.scenario, of_file);
    if (settings.on_device && loaded.plan) check_on_device(loaded, settings.device, of_file);
    diagnostics.add(of_file.release());
  }
  const int status = report(diagnostics, settings.style, stdout);
  if (!settings.style.json && status == 0) {
    for (const std::string& file : settings.files) print(formatted("{}: ok\n", file));
  }
  return status;
}

}  // namespace slipway::cli
