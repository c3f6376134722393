// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "rpl/lsp/workspace.hpp"

#include <algorithm>

#include "rpl/lsp/uris.hpp"

namespace slipway::rpl::lsp {
namespace {

bool is_open_project(const std::string& uri) { return uri.ends_with(kProjectSuffix); }

}  // namespace

bool Workspace::LoadedProject::has(const Path& path) const {
  return std::ranges::any_of(files, [&](const std::set<Path>& of) { return of.contains(path); });
}

std::vector<std::string> Workspace::open(const std::string& uri, std::string text) {
  const Path path = path_of_uri(uri);
  const SourcePtr before = path.empty() ? text_of(uri) : source_at(path);
  // Documents are opened with the text of their files, which changes nothing.
  const bool same = before && before->name() == uri && before->text() == text;
  open_[uri] = same ? before : make_source(uri, std::move(text));  // NOLINT(performance-move-const-arg)
  if (!path.empty()) open_paths_[path] = uri;
  const bool new_project = is_open_project(uri) && !path.empty() && open_projects_.insert(path).second;
  return same && !new_project ? std::vector<std::string>() : forget_text(uri);
}

std::vector<std::string> Workspace::close(const std::string& uri) {
  const Path path = path_of_uri(uri);
  open_.erase(uri);
  open_paths_.erase(path);
  disk_.erase(path);  // it may have been saved
  if (open_projects_.erase(path) != 0) listed_.clear();
  return forget_text(uri);
}

std::vector<std::string> Workspace::forget_text(const std::string& uri) {
  std::set<std::string> others;
  if (is_open_project(uri)) {
    forget_programs();
    for (const auto& [open, source] : open_) others.insert(open);
  } else {
    own_programs_.erase(uri);
    const Path path = path_of_uri(uri);
    project_of(path);
    for (const Path& project : open_projects_) load_project(project);
    for (const auto& [file, project] : projects_) {
      if (!project || !project->has(path)) continue;
      for (std::size_t i = 0; i < project->files.size(); ++i) {
        if (project->files[i].contains(path)) project->documents[i] = nullptr;
        for (const Path& of : project->files[i]) {
          if (const auto open = open_paths_.find(of); open != open_paths_.end()) others.insert(open->second);
        }
      }
      if (const auto open = open_paths_.find(file); open != open_paths_.end()) others.insert(open->second);
    }
  }
  others.erase(uri);
  return {others.begin(), others.end()};
}

void Workspace::forget_files() {
  disk_.clear();
  listed_.clear();
  forget_programs();
}

void Workspace::forget_programs() {
  projects_.clear();
  own_programs_.clear();
}

SourcePtr Workspace::text_of(const std::string& uri) const {
  const auto found = open_.find(uri);
  return found == open_.end() ? nullptr : found->second;
}

std::vector<std::string> Workspace::open_uris() const {
  std::vector<std::string> uris;
  for (const auto& [uri, source] : open_) uris.push_back(uri);
  return uris;
}

// Documents without a suffix of another format are programs: new ones have no suffix yet.
bool Workspace::is_source(const std::string& uri) {
  const std::string suffix = Path(uri).extension().string();
  return suffix == ".rpl" || suffix.empty();
}

bool Workspace::in_project(const std::string& uri) { return project_of(path_of_uri(uri)) != nullptr; }

SourcePtr Workspace::source_at(const Path& path) {
  if (const auto open = open_paths_.find(path); open != open_paths_.end()) return text_of(open->second);
  const auto [known, added] = disk_.try_emplace(path, nullptr);
  if (added && files_.read) {
    if (Result<std::string> text = files_.read(path)) {
      known->second = make_source(uri_of_path(path), std::move(*text));
    }
  }
  return known->second;
}

Workspace::LoadedProject* Workspace::load_project(const Path& path) {
  const auto [known, added] = projects_.try_emplace(path, nullptr);
  if (!added) return known->second.get();
  const SourcePtr source = source_at(path);
  Diagnostics ignored;  // reported in the project file
  std::optional<Project> project =
      source ? read_project(source, path.parent_path(), ignored) : std::optional<Project>();
  if (!project) return nullptr;
  known->second = std::make_unique<LoadedProject>(std::move(*project));
  LoadedProject& loaded = *known->second;
  loaded.programs = programs_of(loaded.project);
  loaded.documents.resize(loaded.programs.size());
  for (const ProjectProgram& program : loaded.programs) {
    const std::vector<Path> files = files_of(loaded.project, program);
    loaded.files.emplace_back(files.begin(), files.end());
  }
  return &loaded;
}

Workspace::LoadedProject* Workspace::project_of(const Path& path) {
  if (path.empty()) return nullptr;
  for (Path directory = path.parent_path();; directory = directory.parent_path()) {
    const auto [known, added] = listed_.try_emplace(directory);
    if (added && files_.list) {
      for (const Path& file : files_.list(directory)) {
        if (file.string().ends_with(kProjectSuffix)) known->second.push_back(file);
      }
    }
    std::vector<Path> candidates = known->second;
    for (const Path& open : open_projects_) {  // new ones, which are not on the disk
      const bool here = open.parent_path() == directory;
      if (here && !std::ranges::contains(candidates, open)) candidates.push_back(open);
    }
    for (const Path& file : candidates) {
      LoadedProject* const project = load_project(file);
      if (project && project->has(path)) return project;
    }
    if (directory == directory.parent_path()) return nullptr;
  }
}

std::shared_ptr<const Document> Workspace::document_of(LoadedProject& project, std::size_t index) {
  std::shared_ptr<const Document>& document = project.documents[index];
  if (document) return document;
  const ProjectProgram& program = project.programs[index];
  std::vector<SourcePtr> sources;
  for (const Path& file : files_of(project.project, program)) {
    if (SourcePtr source = source_at(file)) sources.push_back(std::move(source));
  }
  const CompileOptions options = compile_options(project.project, program);
  CompileSettings made{.pipeline = options.resolve.pipeline,
                       .target = options.spirv.target,
                       .entry_points = options.entry_points,
                       .guess_entry_points = false,
                       .options = settings.options,
                       .preferred = first_value_texts(project.project, program)};
  made.domains = [&](const Program& parsed) {
    Diagnostics ignored;  // reported in the project file
    return variant_domains(project.project, program, parsed, ignored);
  };
  return document = analyse(std::move(sources), made);
}

std::vector<std::shared_ptr<const Document>> Workspace::programs_around(const std::string& uri) {
  std::vector<std::shared_ptr<const Document>> documents;
  if (LoadedProject* const project = project_of(path_of_uri(uri))) {
    for (std::size_t i = 0; i < project->programs.size(); ++i) documents.push_back(document_of(*project, i));
  } else if (const SourcePtr source = text_of(uri); source && is_source(uri)) {
    std::shared_ptr<const Document>& own = own_programs_[uri];
    if (!own) own = analyse({source}, settings);
    documents.push_back(own);
  }
  return documents;
}

std::vector<SourceView> Workspace::views(const std::string& uri) {
  std::vector<SourceView> views;
  if (!is_source(uri)) return views;
  for (const std::shared_ptr<const Document>& document : programs_around(uri)) {
    const SourcePtr text = text_of(uri);
    const std::string& name = text ? text->name() : uri;
    if (const ProgramSource* source = document->source_named(name)) views.push_back({document, source});
  }
  return views;
}

Diagnostics Workspace::project_diagnostics(const SourcePtr& source, const Path& path) {
  Diagnostics found;
  const std::optional<Project> project = read_project(source, path.parent_path(), found);
  if (!project || !files_.read) return found;
  const auto check = [&](json::Value names) {
    for (const json::Value name : names) {
      if (source_at((project->directory / name.string()).lexically_normal())) continue;
      found.add(json::problem(name, DiagnosticKind::FileNotFound, "the file cannot be read"));
    }
  };
  for (const ProjectPass& pass : project->passes) check(pass.at["sources"]);
  for (const ProjectMaterial& material : project->materials) check(material.at["sources"]);
  return found;
}

Diagnostics Workspace::diagnostics_of(const std::string& uri) {
  const SourcePtr source = text_of(uri);
  if (!source) return {};
  const Path path = path_of_uri(uri);
  if (is_open_project(uri)) return project_diagnostics(source, path);
  if (!is_source(uri)) return check_ ? check_(source, path).value_or(Diagnostics()) : Diagnostics();
  std::vector<ProgramDiagnostics> programs;
  const std::vector<SourceView> all = views(uri);
  for (const SourceView& view : all) programs.push_back({"", &view.document->program, &view.document->diagnostics});
  Diagnostics merged;
  merge_diagnostics(programs, merged);
  Diagnostics own;
  for (Diagnostic& diagnostic : merged.release()) {
    // What has no location in a text is reported where the program begins: at its first source.
    const bool here = diagnostic.location.source ? diagnostic.location.source == source
                                                 : std::ranges::any_of(all, [](const SourceView& view) {
                                                     return view.source == &view.document->program.sources.front();
                                                   });
    if (here) own.add(std::move(diagnostic));
  }
  return own;
}

std::size_t Workspace::count_diagnostics(const std::string& uri, const std::map<std::string, std::string>& texts) {
  const auto saved_open = open_;
  const auto saved_paths = open_paths_;
  for (const auto& [changed, text] : texts) open(changed, text);
  std::size_t count = 0;
  for (const std::shared_ptr<const Document>& document : programs_around(uri)) {
    count += document->diagnostics.errors() + document->diagnostics.warnings();
  }
  open_ = saved_open;
  open_paths_ = saved_paths;
  forget_programs();
  return count;
}

}  // namespace slipway::rpl::lsp
