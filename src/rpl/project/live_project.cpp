// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "rpl/project/live_project.hpp"

#include <algorithm>
#include <utility>

namespace slipway::rpl {

LiveProject::LiveProject(Path file, const ProjectBuildOptions& options, ReadSource read)
    : file_(std::move(file)), options_(options), read_(std::move(read)), files_{file_} {
  options_.emit = true;
}

bool LiveProject::read_again(const Path& file, Diagnostics& diagnostics) {
  Result<SourcePtr> source = read_(file);
  const auto known = sources_.find(file);
  const bool had_text = known != sources_.end() && known->second;
  if (source && had_text && (*known->second)->text() == (*source)->text()) return false;
  if (!source && known != sources_.end() && !had_text) return false;
  if (!source && file == file_) diagnostics.add(source.error());
  sources_.insert_or_assign(file, std::move(source));
  return true;
}

bool LiveProject::read_project_file(Diagnostics& diagnostics) {
  const Result<SourcePtr>& source = sources_.at(file_);
  if (!source) return false;
  std::optional<Project> project = read_project(*source, file_.parent_path(), diagnostics);
  if (!project) return false;
  project_ = std::make_unique<const Project>(std::move(*project));
  files_ = {file_};
  for (const ProjectProgram& program : programs_of(*project_)) files_.insert_range(files_of(*project_, program));
  // What the project does not name is not watched, and may change.
  std::erase_if(sources_, [&](const auto& each) { return !files_.contains(each.first); });
  return true;
}

std::vector<std::string> LiveProject::update(const std::set<Path>& saved, Diagnostics& diagnostics) {
  std::set<Path> changed;
  const auto look_at = [&](const Path& file) {
    if (read_again(file, diagnostics)) changed.insert(file);
  };
  const std::set<Path> before = files_;
  for (const Path& file : saved.empty() ? before : saved) {
    if (before.contains(file)) look_at(file);
  }
  // A project file with errors changes nothing.
  const bool other_project = changed.contains(file_) && read_project_file(diagnostics);
  if (!project_) return {};
  std::vector<ProjectProgram> touched = programs_of(*project_);
  std::set<std::string> names;
  for (const ProjectProgram& program : touched) names.insert(program.name());
  std::erase_if(built_, [&](const auto& each) { return !names.contains(each.first); });
  std::erase_if(failing_, [&](const std::string& name) { return !names.contains(name); });
  if (!other_project) {
    std::erase_if(touched, [&](const ProjectProgram& program) {
      return std::ranges::none_of(files_of(*project_, program),
                                  [&](const Path& file) { return changed.contains(file); });
    });
  }
  if (touched.empty()) return {};
  const auto known = [&](const Path& path) -> Result<SourcePtr> {
    const auto found = sources_.find(path);
    if (found != sources_.end()) return found->second;
    return sources_.emplace(path, read_(path)).first->second;
  };
  std::vector<std::string> compiled;
  for (BuiltProgram& program : build_project(*project_, touched, options_, known, diagnostics)) {
    std::string name = program.of.name();
    if (!program.variants || program.variants->failing_leaves != 0 || program.variants->classes.empty()) {
      failing_.insert(std::move(name));
      continue;
    }
    failing_.erase(name);
    program.of = {};
    built_.insert_or_assign(name, std::move(program));
    compiled.push_back(std::move(name));
  }
  return compiled;
}

std::vector<LiveProject::Named> LiveProject::programs() const {
  std::vector<Named> programs;
  if (!project_) return programs;
  for (const ProjectProgram& program : programs_of(*project_)) {
    const auto found = built_.find(program.name());
    if (found != built_.end()) programs.push_back({found->first, &found->second});
  }
  return programs;
}

}  // namespace slipway::rpl
