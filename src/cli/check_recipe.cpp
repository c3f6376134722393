// slipway check for recipes and profiles: no device is opened, no library loaded.
#include <set>

#include "base/format.hpp"
#include "cli/recipe_files.hpp"
#include "cli/recipe_verbs.hpp"
#include "recipe/cpu/exports.hpp"
#include "recipe/plan/portable.hpp"

namespace slipway::cli {
namespace {

struct CheckRecipeSettings {
  ReportStyle style;
  std::vector<std::string> files;
  std::string profile, kernels, directory, backend, library_root;
  bool no_files = false, allow_outside = false, no_cache = false, portable = false;
};

// A library that is not there is a warning: it may be installed elsewhere.
void check_libraries(const recipe::Recipe& recipe, const recipe::cpu::LibraryRoots& roots, Diagnostics& diagnostics) {
  std::set<std::string> seen;
  for (const recipe::CpuFunction& cpu : recipe.cpus) {
    if (cpu.incomplete || !seen.insert(cpu.library).second) continue;
    const json::Value at = cpu.at["library_path"] ? cpu.at["library_path"] : cpu.at["library_name"];
    Result<Path> file = recipe::cpu::find_library(cpu.library, roots, at.location());
    if (!file) {
      for (Diagnostic& problem : file.error()) {
        if (problem.kind == DiagnosticKind::CpuOpen) problem.severity = Severity::Warning;
        if (problem.path.empty()) problem.at(at.pointer());
        diagnostics.add(std::move(problem));
      }
      continue;
    }
    if (const auto bytes = diagnostics.take(map_file(*file)))
      recipe::cpu::check_library_file(bytes->bytes(), file->string(), at.location(), diagnostics);
  }
}

void add_options(CommandLine& line, CheckRecipeSettings& settings) {
  line.add_report_options(settings.style);
  line.add_option("files", settings.files, "recipes or profiles; `-` is standard input");
  line.add_option("--dir", settings.directory, "directory of the files that they name (the file's own directory)");
  line.add_flag("--no-files", settings.no_files, "do not open the files that they name");
  line.add_flag("--allow-outside", settings.allow_outside, "files and libraries may lie outside their directories");
  line.add_flag("--portable", settings.portable, "name everything that the shipped runner refuses or treats otherwise");
}

int end(const CheckRecipeSettings& settings, Diagnostics& diagnostics) {
  const int status = report(diagnostics, settings.style, stdout);
  if (settings.style.json || status != 0) return status == 0 ? 0 : 3;  // any error of a check is bad input
  for (const std::string& file : settings.files) print(formatted("{}: ok\n", file));
  return 0;
}

}  // namespace

bool is_profile(const Content& content) {
  if (content.has("resources") || content.has("jobs") || content.has("commands")) return false;
  return content.has("bindings") || content.has("executions") || content.has("execution") || content.has("qos") ||
         content.has("dtrace");
}

int check_recipe(const Arguments& arguments) {
  CheckRecipeSettings settings;
  CommandLine line("slipway check", "Finds every mistake in recipes, without running them.",
                   "slipway check recipe.json --profile profile.json");
  add_options(line, settings);
  line.add_option("--profile", settings.profile, "check this profile against the recipe too");
  line.add_option("--kernels", settings.kernels, "replace kernels of the recipe by those of this file");
  line.add_option("--backend", settings.backend, "check for this back end: auto, vulkan, opencl or xrt")
      .choices({"auto", "vulkan", "opencl", "xrt"});
  line.add_option("--library-root", settings.library_root, "directory of CPU libraries");
  line.add_flag("--no-cache", settings.no_cache, "do not use the cache of compiled shaders");
  if (const std::optional<int> status = line.parse(arguments)) return *status;
  Diagnostics diagnostics;
  for (const std::string& file : settings.files) {
    Diagnostics of_file;
    const Path directory = artifact_directory(settings.directory, file);
    auto request =
        session_options({file, settings.profile, settings.kernels, directory, settings.allow_outside}, of_file);
    if (request) {
      request->read.leniency = Severity::Error;
      request->plan = {.depth = settings.no_files ? recipe::Depth::References : recipe::Depth::Files,
                       .cache = settings.no_cache ? Cache() : Cache::of_user()};
      if (settings.backend == "vulkan") request->plan.backend = recipe::BackendKind::Vulkan;
      if (settings.backend == "opencl") request->plan.backend = recipe::BackendKind::OpenCl;
      if (settings.backend == "xrt") request->plan.backend = recipe::BackendKind::Xrt;
      const recipe::Session session = recipe::Session::load(*request, of_file);
      if (settings.portable && session.recipe()) recipe::check_portable(*session.recipe(), of_file);
      if (settings.portable && !settings.profile.empty()) recipe::check_portable(*session.profile(), of_file);
      if (session.recipe() && !settings.no_files)
        check_libraries(*session.recipe(),
                        recipe::cpu::library_roots(settings.library_root, directory, settings.allow_outside), of_file);
      diagnostics.add(of_file.release());
    } else {
      diagnostics.add(of_file.release());
    }
  }
  return end(settings, diagnostics);
}

int check_profile_file(const Arguments& arguments) {
  CheckRecipeSettings settings;
  CommandLine line("slipway check", "Finds every mistake in profiles of recipes.", "slipway check profile.json");
  add_options(line, settings);
  if (const std::optional<int> status = line.parse(arguments)) return *status;
  Diagnostics diagnostics;
  for (const std::string& file : settings.files) {
    const SourcePtr source = read_input(file, diagnostics);
    if (!source) continue;
    const recipe::ReadOptions options{.leniency = Severity::Error};
    auto document = recipe::read_document(source, options, diagnostics);
    const auto profile = document ? recipe::read_profile(std::move(document), options, diagnostics) : std::nullopt;
    const auto artifacts =
        recipe::Artifacts::in_directory(artifact_directory(settings.directory, file), settings.allow_outside);
    if (profile && settings.portable) recipe::check_portable(*profile, diagnostics);
    if (profile) recipe::check_profile(*profile, nullptr, settings.no_files ? nullptr : &artifacts, diagnostics);
  }
  return end(settings, diagnostics);
}

}  // namespace slipway::cli
