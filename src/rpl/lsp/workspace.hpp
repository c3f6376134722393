// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The files that an editor has open, and the programs that they belong to.
//
// A source belongs to all programs of the nearest project file (project.hpp) that names it: that is searched for in its
// directory and the directories above. A source that no project names is a program of its own. Open documents replace
// the files on the disk.
//
// Programs are compiled when something asks for them, and again after a change of one of their sources: that takes less
// than a millisecond.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/system/files.hpp"
#include "rpl/lsp/analysis/document.hpp"
#include "rpl/project/project.hpp"

namespace slipway::rpl::lsp {

// What a server reads beyond the open documents. Without functions it reads nothing.
struct FileAccess {
  std::function<Result<std::string>(const Path&)> read;
  std::function<std::vector<Path>(const Path& directory)> list;
};

// Checks documents that are not programs: scenarios, recipes, kernels. Nothing for a document of no known format.
using CheckDocument = std::function<std::optional<Diagnostics>(const SourcePtr& source, const Path& path)>;

// A source in a program.
struct SourceView {
  std::shared_ptr<const Document> document;
  const ProgramSource* source = nullptr;  // of the document's program

  Range range() const { return {source->base, source->base + static_cast<std::uint32_t>(source->text->text().size())}; }
  Span local(Range range) const { return {range.begin - source->base, range.end - source->base}; }
};

class Workspace {
 public:
  Workspace(FileAccess files, CheckDocument check) : files_(std::move(files)), check_(std::move(check)) {}

  CompileSettings settings;  // of sources without a project

  // `uri` as the client writes it: the name of the source. Both return the other open documents whose diagnostics may
  // differ from now on.
  std::vector<std::string> open(const std::string& uri, std::string text);
  std::vector<std::string> close(const std::string& uri);
  // Files on the disk may have changed.
  void forget_files();

  // Null if it is not open.
  SourcePtr text_of(const std::string& uri) const;
  std::vector<std::string> open_uris() const;

  static bool is_source(const std::string& uri);
  // Whether a project file names it.
  bool in_project(const std::string& uri);
  // The programs with a source, of its project in their order; empty for documents that are not sources.
  std::vector<SourceView> views(const std::string& uri);
  // All programs of the project of a source, or its only program.
  std::vector<std::shared_ptr<const Document>> programs_around(const std::string& uri);
  // Of an open document, at locations in it.
  Diagnostics diagnostics_of(const std::string& uri);
  // The same programs with other texts: what they report, errors and warnings.
  std::size_t count_diagnostics(const std::string& uri, const std::map<std::string, std::string>& texts);

 private:
  struct LoadedProject {
    Project project;
    std::vector<ProjectProgram> programs;
    std::vector<std::set<Path>> files;                       // of the programs
    std::vector<std::shared_ptr<const Document>> documents;  // of the programs; null: not compiled yet

    bool has(const Path& path) const;
  };

  SourcePtr source_at(const Path& path);
  LoadedProject* project_of(const Path& path);
  LoadedProject* load_project(const Path& path);
  std::shared_ptr<const Document> document_of(LoadedProject& project, std::size_t index);
  Diagnostics project_diagnostics(const SourcePtr& source, const Path& path);
  void forget_programs();
  // Forgets what depends on the text of a document.
  std::vector<std::string> forget_text(const std::string& uri);

  FileAccess files_;
  CheckDocument check_;
  std::map<std::string, SourcePtr> open_;                                // by URI
  std::map<Path, std::string> open_paths_;                               // URIs of the open files
  std::set<Path> open_projects_;                                         // of the open files
  std::map<Path, SourcePtr> disk_;                                       // null: cannot be read
  std::map<Path, std::vector<Path>> listed_;                             // project files by directory
  std::map<Path, std::unique_ptr<LoadedProject>> projects_;              // null: has errors
  std::map<std::string, std::shared_ptr<const Document>> own_programs_;  // of sources without a project
};

}  // namespace slipway::rpl::lsp
