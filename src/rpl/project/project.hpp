// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Project files: the passes and materials of an application, and the values of their options
// (docs/spec/rpl.md#project-files).
//
//   const std::optional<Project> project = read_project(source, directory, diagnostics);
//   for (const ProjectProgram& program : programs_of(*project)) ... files_of(*project, program) ...
//
// A program of a project is a pass with one of its materials, or a pass alone. Its modules are the sources of the pass,
// then those of the material.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/system/files.hpp"
#include "json/document.hpp"
#include "rpl/variants/variants.hpp"

namespace slipway::rpl {

inline constexpr std::string_view kProjectSuffix = ".rplproject.json";

// By name a value, or a list of values.
using ProjectOptions = std::vector<std::pair<std::string, json::Value>>;

struct ProjectMaterial {
  std::string name;
  std::vector<std::string> sources;  // relative to the directory of the project file
  ProjectOptions options;
  json::Value at;
};

struct ProjectEntryPoints {
  std::optional<std::string> vertex, fragment, compute;
};

struct ProjectPass {
  std::string name;
  std::vector<std::string> sources;
  PipelineKind pipeline = PipelineKind::Graphics;
  ProjectEntryPoints entry_points;
  std::optional<std::vector<std::string>> materials;  // empty list: the pass alone; nothing: all materials
  ProjectOptions options;
  json::Value at;
};

struct Project {
  std::shared_ptr<const json::Document> document;  // owns what `at` and the values of options refer to
  Path directory;
  std::vector<ProjectPass> passes;
  std::vector<ProjectMaterial> materials;
  ProjectOptions options;
  Target target = Target::Vulkan13;
};

// Reports everything that is wrong; empty when something is. Sources are not read.
std::optional<Project> read_project(const SourcePtr& source, const Path& directory, Diagnostics& diagnostics);
std::string project_schema_text();

// Pointers into the project.
struct ProjectProgram {
  const ProjectPass* pass = nullptr;
  const ProjectMaterial* material = nullptr;  // null: the pass alone

  std::string name() const;  // `forward/brick`, or `forward`
};
// Pass after pass, each with its materials in order.
std::vector<ProjectProgram> programs_of(const Project& project);
std::vector<Path> files_of(const Project& project, const ProjectProgram& program);

// How a program is compiled: `base` with the entry points, the kind of pipeline and the target of the project.
CompileOptions compile_options(const Project& project, const ProjectProgram& program, CompileOptions base = {});
// The values that the project names for a program, by OptionId; empty for other options. Those of the pass replace
// those of the project, and those of the material both. Reports values that an option cannot take; options that the
// program does not have are ignored.
std::vector<std::vector<Value>> project_values(const Project& project, const ProjectProgram& of, const Program& program,
                                               Diagnostics& diagnostics);
// The values that the options of a program take in its variants: those that the project names, else the default ones.
std::vector<std::vector<Value>> variant_domains(const Project& project, const ProjectProgram& of,
                                                const Program& program, Diagnostics& diagnostics);
// The first value of each option that is named for a program: names and values, as `--set` takes them.
std::vector<std::pair<std::string, std::string>> first_value_texts(const Project& project, const ProjectProgram& of);
// Reports options that none of the programs has.
void check_option_names(const Project& project, std::span<const Program* const> programs, Diagnostics& diagnostics);

// The diagnostics of one program of several that share sources.
struct ProgramDiagnostics {
  std::string name;  // in notes; may be empty
  const Program* program = nullptr;
  const Diagnostics* found = nullptr;
};
// Appends the diagnostics of all programs: an error once, with a note that names the first program that has it; a
// warning only if each program with its source has it, because code that one program does not use is checked in
// another.
void merge_diagnostics(std::span<const ProgramDiagnostics> programs, Diagnostics& diagnostics);

}  // namespace slipway::rpl
