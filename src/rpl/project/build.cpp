// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "rpl/project/build.hpp"

#include "base/format.hpp"
#include "base/parallel.hpp"

namespace slipway::rpl {
namespace {

// Everything of one program; used by one thread.
void build_program(const Project& project, const ProjectBuildOptions& options, unsigned jobs,
                   std::vector<SourcePtr> sources, BuiltProgram& built, Diagnostics& diagnostics) {
  if (sources.empty()) return;
  built.program = parse(modules_of(std::move(sources), false), diagnostics);
  if (!built.program.valid) return;
  VariantOptions& variants = built.options;
  variants.compile = compile_options(project, built.of, options.compile);
  variants.max_variants = options.max_variants;
  variants.jobs = jobs;
  variants.emit = options.emit;
  variants.keep_values = options.keep_values;
  variants.domains = variant_domains(project, built.of, built.program, diagnostics);
  if (!diagnostics.has_errors()) built.variants = find_variants(built.program, variants, diagnostics);
}

}  // namespace

ProjectSources::ProjectSources(const Project& project, std::span<const ProjectProgram> programs, const ReadSource& read,
                               Diagnostics& diagnostics) {
  for (const ProjectProgram& program : programs) {
    add(project, program.pass->at["sources"], read, diagnostics);
    if (program.material) add(project, program.material->at["sources"], read, diagnostics);
  }
}

void ProjectSources::add(const Project& project, json::Value names, const ReadSource& read, Diagnostics& diagnostics) {
  for (const json::Value name : names) {
    const Path path = (project.directory / name.string()).lexically_normal();
    const auto [known, added] = sources_.try_emplace(path, nullptr);
    if (!added) continue;
    if (Result<SourcePtr> source = read(path)) {
      known->second = std::move(*source);
    } else {
      diagnostics.add(std::move(fail(std::move(source.error()), "the project names it here", name.location()).error()));
    }
  }
}

std::vector<SourcePtr> ProjectSources::of(const Project& project, const ProjectProgram& program) const {
  std::vector<SourcePtr> modules;
  for (const Path& file : files_of(project, program)) {
    const auto found = sources_.find(file);
    if (found == sources_.end() || !found->second) return {};
    modules.push_back(found->second);
  }
  return modules;
}

std::vector<BuiltProgram> build_project(const Project& project, std::span<const ProjectProgram> programs,
                                        const ProjectBuildOptions& options, const ReadSource& read,
                                        Diagnostics& diagnostics) {
  const ProjectSources sources(project, programs, read, diagnostics);
  std::vector<BuiltProgram> built(programs.size());
  std::vector<Diagnostics> found(programs.size());
  struct NoState {};
  const unsigned jobs_of_one = programs.size() == 1 ? options.jobs : 1;
  // What these programs do not use, another one may use.
  const bool complete = programs.size() == programs_of(project).size();
  ProjectBuildOptions of_all = options;
  of_all.compile.resolve.check_unused &= complete;
  parallel_for_workers<NoState>(programs.size(), options.jobs, [&](NoState&, std::size_t i) {
    built[i].of = programs[i];
    build_program(project, of_all, jobs_of_one, sources.of(project, programs[i]), built[i], found[i]);
  });
  std::vector<ProgramDiagnostics> merged;
  std::vector<const Program*> parsed;
  for (std::size_t i = 0; i < programs.size(); ++i) {
    merged.push_back({programs[i].name(), &built[i].program, &found[i]});
    if (built[i].program.valid) parsed.push_back(&built[i].program);
  }
  merge_diagnostics(merged, diagnostics);
  if (complete && parsed.size() == programs.size()) check_option_names(project, parsed, diagnostics);
  return built;
}

std::string build_summary(std::span<const BuiltProgram> built) {
  std::string text;
  for (const BuiltProgram& of : built) {
    if (!of.variants) continue;
    const std::string summary = summary_text(of.program, of.options, *of.variants);
    text += formatted("{}: {}\n", of.of.name(), summary.substr(0, summary.find('\n')));
  }
  return text;
}

}  // namespace slipway::rpl
