// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The programs of a project while people edit its files: what a saved file touches is compiled again.
//
//   LiveProject project(file, options, read);
//   project.update({}, diagnostics);                 all of it
//   project.update({saved files}, diagnostics);
#pragma once

#include <memory>
#include <set>
#include <string>
#include <vector>

#include "rpl/project/build.hpp"

namespace slipway::rpl {

class LiveProject {
 public:
  // `options.emit` is on. `read` is called for a file again when it was saved.
  LiveProject(Path file, const ProjectBuildOptions& options, ReadSource read);

  // Compiles the programs that read files with other contents; with an empty set, all files are read. A program with
  // errors, and the project itself, stay what they were, and the same contents are not tried twice. Returns the names
  // of the programs that were compiled, in their order.
  std::vector<std::string> update(const std::set<Path>& saved, Diagnostics& diagnostics);

  // The project file and all sources that it names.
  const std::set<Path>& files() const { return files_; }
  // The last ones without errors, in the order of the project. Pointers into it are not valid.
  struct Named {
    std::string name;
    const BuiltProgram* built = nullptr;
  };
  std::vector<Named> programs() const;
  // Programs that have no result yet, or that were changed since without success.
  const std::set<std::string>& failing() const { return failing_; }

 private:
  // Whether the contents are other ones.
  bool read_again(const Path& file, Diagnostics& diagnostics);
  bool read_project_file(Diagnostics& diagnostics);

  Path file_;
  ProjectBuildOptions options_;
  ReadSource read_;
  std::unique_ptr<const Project> project_;
  std::set<Path> files_;
  std::map<Path, Result<SourcePtr>> sources_;
  std::map<std::string, BuiltProgram> built_;  // by name
  std::set<std::string> failing_;
};

}  // namespace slipway::rpl
