// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// `slipway check` on recipes and profiles. It opens no device and loads no library.
#include <set>

#include "cli/option_groups.hpp"
#include "cli/recipe/files.hpp"
#include "cli/recipe/verbs.hpp"
#include "cli/run/interrupts.hpp"
#include "recipe/cpu/exports.hpp"
#include "recipe/plan/patched.hpp"
#include "recipe/plan/portable.hpp"

namespace slipway::cli {
namespace {

struct RecipeCheckOptions {
  ReportStyle style;
  std::vector<std::string> files;
  std::string profile, kernels, directory, backend, library_root;
  bool no_files = false, allow_outside = false, no_cache = false, portable = false;
};

// A missing library is a warning, because it may be installed on the machine that runs the recipe.
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

void add_options(CommandLine& line, RecipeCheckOptions& options) {
  line.add_report_options(options.style);
  line.add_option("files", options.files, "recipes or profiles; `-` is standard input");
  add_artifact_options(line, options.directory, options.allow_outside);
  line.add_flag("--no-files", options.no_files, "do not open the files that they name");
  line.add_flag("--portable", options.portable,
                "warn about everything that the shipped runner rejects or treats differently");
}

}  // namespace

bool is_profile(const Content& content) {
  if (content.has("resources") || content.has("jobs") || content.has("commands")) return false;
  return content.has("bindings") || content.has("executions") || content.has("execution") || content.has("qos") ||
         content.has("dtrace");
}

int check_recipe(const Arguments& arguments) {
  RecipeCheckOptions options;
  CommandLine line("slipway check", "Finds every error in recipes, without running them.",
                   "slipway check recipe.json --profile profile.json");
  add_options(line, options);
  line.add_option("--profile", options.profile, "also check this profile against the recipe");
  line.add_option("--kernels", options.kernels, "replace kernels of the recipe with those of this file");
  add_backend_options(line, options.backend, options.library_root);
  add_cache_option(line, options.no_cache);
  if (const std::optional<int> status = line.parse(arguments)) return *status;
  Diagnostics diagnostics;
  for (const std::string& file : options.files) {
    Diagnostics of_file;
    if (report_interrupt(file, diagnostics)) continue;
    const Path directory = artifact_directory(options.directory, file);
    auto request = session_options({file, options.profile, options.kernels, directory, options.allow_outside}, of_file);
    if (request) {
      request->read.leniency = Severity::Error;
      request->plan = {.depth = options.no_files ? recipe::Depth::References : recipe::Depth::Files,
                       .backend = recipe::kernel_backend_from_name(options.backend),
                       .cache = cache_of(options.no_cache)};
      const recipe::Session session = recipe::Session::load(*request, of_file);
      if (session.plan() != nullptr) recipe::check_patched_arguments(*session.plan(), of_file);
      if (options.portable && session.recipe()) recipe::check_portable(*session.recipe(), of_file);
      if (options.portable && !options.profile.empty()) recipe::check_portable(*session.profile(), of_file);
      if (session.recipe() && !options.no_files)
        check_libraries(*session.recipe(),
                        recipe::cpu::library_roots(options.library_root, directory, options.allow_outside), of_file);
      report_interrupt(file, of_file);
    }
    diagnostics.add(of_file.release());
  }
  return report_recipe_check(diagnostics, options.style, options.files);
}

int check_profile_file(const Arguments& arguments) {
  RecipeCheckOptions options;
  CommandLine line("slipway check", "Finds every error in profiles of recipes.", "slipway check profile.json");
  add_options(line, options);
  if (const std::optional<int> status = line.parse(arguments)) return *status;
  Diagnostics diagnostics;
  for (const std::string& file : options.files) {
    const SourcePtr source = read_input(file, diagnostics);
    if (!source) continue;
    const recipe::ReadOptions read{.leniency = Severity::Error};
    auto document = recipe::read_document(source, read, diagnostics);
    const auto profile = document ? recipe::read_profile(std::move(document), read, diagnostics) : std::nullopt;
    const auto artifacts =
        recipe::Artifacts::in_directory(artifact_directory(options.directory, file), options.allow_outside);
    if (profile && options.portable) recipe::check_portable(*profile, diagnostics);
    if (profile) recipe::check_profile(*profile, nullptr, options.no_files ? nullptr : &artifacts, diagnostics);
  }
  return report_recipe_check(diagnostics, options.style, options.files);
}

}  // namespace slipway::cli
