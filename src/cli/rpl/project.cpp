// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cli/rpl/project.hpp"

#include <algorithm>
#include <array>

#include "base/format.hpp"
#include "base/system/paths/confined_file.hpp"
#include "base/system/protected_inputs.hpp"
#include "base/text/suggest.hpp"
#include "cli/confine.hpp"
#include "cli/rpl/outputs.hpp"
#include "cli/rpl/verbs.hpp"
#include "rpl_c/pack_writer.hpp"

namespace slipway::cli {
namespace {

// The names that --pass or --material give must exist.
template <class Parts>
void check_chosen(const std::vector<std::string>& chosen, const Parts& parts, std::string_view kind,
                  Diagnostics& diagnostics) {
  const auto names = parts | std::views::transform([](const auto& part) -> std::string_view { return part.name; });
  for (const std::string& name : chosen) {
    if (std::ranges::contains(names, std::string_view(name))) continue;
    Diagnostic& problem =
        diagnostics.error(DiagnosticKind::Usage, {}, formatted("the project has no {} `{}`", kind, name));
    if (const auto near = closest(name, names)) problem.hint(formatted("did you mean `{}`?", *near));
  }
}

bool is_chosen(const std::vector<std::string>& chosen, const std::string& name) {
  return chosen.empty() || std::ranges::contains(chosen, name);
}

std::vector<rpl::ProjectProgram> chosen_programs(const RplOptions& options, const rpl::Project& project,
                                                 Diagnostics& diagnostics) {
  check_chosen(options.passes, project.passes, "pass", diagnostics);
  check_chosen(options.materials, project.materials, "material", diagnostics);
  std::vector<rpl::ProjectProgram> programs = rpl::programs_of(project);
  std::erase_if(programs, [&](const rpl::ProjectProgram& program) {
    return !is_chosen(options.passes, program.pass->name) ||
           (program.material ? !is_chosen(options.materials, program.material->name) : !options.materials.empty());
  });
  if (programs.empty() && !diagnostics.has_errors()) {
    diagnostics.error(DiagnosticKind::Usage, {}, "no program of the project has this pass and this material");
  }
  return programs;
}

// The project owns what the built programs point at.
struct BuiltProject {
  rpl::Project project;
  std::vector<rpl::BuiltProgram> programs;
};

std::optional<BuiltProject> build(const RplOptions& options, bool emit, bool pack, Diagnostics& diagnostics) {
  const Path file = options.files.front();
  protect_input(file);
  const std::optional<SourcePtr> source = diagnostics.take(read_source(file));
  if (!source) return std::nullopt;
  // Unknown and duplicate keys are errors of `check`.
  Diagnostics found;
  std::optional<rpl::Project> project = rpl::read_project(*source, file.parent_path(), found);
  for (Diagnostic& each : found.release()) {
    if (each.severity == Severity::Warning) each.as_rule();
    diagnostics.add(std::move(each));
  }
  rpl::ProjectBuildOptions build_options;
  build_options.compile = compile_options(options, diagnostics);
  if (!project || diagnostics.has_errors()) return std::nullopt;
  build_options.emit = emit;
  build_options.keep_values = pack;
  build_options.jobs = thread_count(options);
  build_options.max_variants = options.max_variants;
  BuiltProject built{std::move(*project), {}};
  const std::vector<rpl::ProjectProgram> programs = chosen_programs(options, built.project, diagnostics);
  if (diagnostics.has_errors()) return std::nullopt;
  built.programs = rpl::build_project(built.project, programs, build_options, source_reader(options), diagnostics);
  return built;
}

}  // namespace

rpl::ReadSource source_reader(const RplOptions& options) {
  return [directory = Path(options.files.front()).parent_path()](const Path& path) -> Result<SourcePtr> {
    protect_input(path);
    if (!is_confined()) return read_source(path);
    SLIPWAY_TRY(std::string text, read_text_below(directory, path));
    return make_source(path.string(), std::move(text));
  };
}

bool is_project_file(const std::string& file) { return file.ends_with(rpl::kProjectSuffix); }

bool is_rpl_project(const Content& content) { return is_project_file(content.path.string()); }

void check_project_usage(const RplOptions& options, const Arguments& arguments, Diagnostics& diagnostics) {
  constexpr auto kOfTheProject = std::to_array<std::string_view>(
      {"--pipeline", "--entry", "--set", "--set-global", "--set-instance", "--options", "--target", "--one-module",
       "--variants", "--values", "--vary", "--time", "--emit", "--header", "--header-namespace"});
  for (const std::string& word : arguments.words) {
    const std::string_view name = std::string_view(word).substr(0, word.find('='));
    if (!std::ranges::contains(kOfTheProject, name)) continue;
    diagnostics.error(DiagnosticKind::Usage, {}, formatted("`{}` does not apply to a project file", name));
  }
  if (options.files.size() != 1) {
    diagnostics.error(DiagnosticKind::Usage, {}, "a project file names its sources, so it is the only input file");
  }
}

std::string check_project(const RplOptions& options, Diagnostics& diagnostics) {
  const std::optional<BuiltProject> built = build(options, false, false, diagnostics);
  return built ? rpl::build_summary(built->programs) : "";
}

std::string compile_project(const RplOptions& options, const std::string& directory, const std::string& pack,
                            Diagnostics& diagnostics) {
  const std::optional<BuiltProject> built = build(options, true, !pack.empty(), diagnostics);
  if (!built || diagnostics.has_errors() || (options.style.strict && diagnostics.warnings() != 0)) return "";
  std::vector<CompiledFile> outputs;
  rpl_c::PackWriter writer;
  for (const rpl::BuiltProgram& program : built->programs) {
    if (!pack.empty()) writer.add(program.of.name(), program.program, *program.variants);
    if (directory.empty()) continue;
    add_variant_files(Path(directory) / program.of.name(), program.program, *program.variants, outputs);
  }
  if (!pack.empty()) add_pack(pack, writer, outputs, diagnostics);
  write_outputs(outputs, diagnostics);
  return rpl::build_summary(built->programs);
}

}  // namespace slipway::cli
