// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// All variants of all programs of a project, several programs at a time.
#pragma once

#include <functional>
#include <vector>

#include "rpl/project/project.hpp"

namespace slipway::rpl {

// The text of a file; called once for each file of a project, by one thread.
using ReadSource = std::function<Result<SourcePtr>(const Path&)>;

// Sources of a project that were read, by path.
class ProjectSources {
 public:
  // Reads the sources of the programs. A file that cannot be read is reported once, with a note where the project names
  // it.
  ProjectSources(const Project& project, std::span<const ProjectProgram> programs, const ReadSource& read,
                 Diagnostics& diagnostics);
  // The modules of a program; empty if a source is missing.
  std::vector<SourcePtr> of(const Project& project, const ProjectProgram& program) const;

 private:
  void add(const Project& project, json::Value names, const ReadSource& read, Diagnostics& diagnostics);

  std::map<Path, SourcePtr> sources_;  // null: cannot be read
};

struct ProjectBuildOptions {
  CompileOptions compile;  // entry points, kind of pipeline and target are those of the project
  bool emit = false;       // as VariantOptions::emit
  bool keep_values = false;
  unsigned jobs = 1;                 // threads
  std::size_t max_variants = 65536;  // of one program
};

struct BuiltProgram {
  ProjectProgram of;
  Program program;
  VariantOptions options;
  std::optional<Variants> variants;  // nothing if the program has errors before its variants are searched
};

// `programs` are some of programs_of(project); all of them are needed to know whether an option exists.
std::vector<BuiltProgram> build_project(const Project& project, std::span<const ProjectProgram> programs,
                                        const ProjectBuildOptions& options, const ReadSource& read,
                                        Diagnostics& diagnostics);

// `forward/brick: assignments: 4, variants: 4`, one line for each program.
std::string build_summary(std::span<const BuiltProgram> built);

}  // namespace slipway::rpl
