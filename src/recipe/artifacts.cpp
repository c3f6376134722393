// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "recipe/artifacts.hpp"

#include <algorithm>

#include "base/format.hpp"
#include "base/system/paths/confined_file.hpp"
#include "base/system/protected_inputs.hpp"

namespace slipway::recipe {

namespace {

bool leaves(const Path& normal) { return normal.has_root_path() || (!normal.empty() && *normal.begin() == ".."); }

}  // namespace

Path profile_beside(const Path& recipe) {
  if (recipe == "-") return {};
  const std::string name = recipe.stem().string();
  for (const std::string& candidate : {name + ".profile.json", name + "_profile.json", std::string("profile.json")}) {
    const Path path = recipe.parent_path() / candidate;
    if (path != recipe && file_exists(path)) return path;
  }
  return {};
}

Artifacts Artifacts::in_directory(Path directory, bool allow_outside) {
  Artifacts artifacts;
  artifacts.state_->directory = std::move(directory);
  artifacts.state_->allow_outside = allow_outside;
  return artifacts;
}

Artifacts Artifacts::in_memory(std::shared_ptr<const ArtifactMap> map) {
  Artifacts artifacts;
  artifacts.state_->map = std::move(map);
  return artifacts;
}

Result<Artifact> Artifacts::open_file(const std::string& key) const {
  const Path normal = Path(key).lexically_normal();
  const auto escapes = [&] {
    return fail(Diagnostic{.kind = DiagnosticKind::PathOutside,
                           .message = formatted("repo: artifact key escapes artifact directory: {}", key)}
                    .hint("`--allow-outside` permits it"));
  };
  if (!state_->allow_outside && leaves(normal)) return escapes();
  const Path path = normal.is_absolute() ? normal : state_->directory / normal;
  const std::string name = path.string();
  const std::scoped_lock lock(state_->mutex);
  if (const auto found = state_->opened.find(name); found != state_->opened.end()) return found->second;
  Result<MappedFile> file = state_->allow_outside ? map_file(path) : map_file_below(state_->directory, path);
  if (!file && file.error().at(0).kind == DiagnosticKind::PathOutside) return escapes();
  if (!file) {
    return fail(DiagnosticKind::FileNotFound, {}, formatted("artifacts::repository: cannot open file: {}", name));
  }
  protect_input(path);
  auto mapping = std::make_shared<const MappedFile>(std::move(*file));
  Artifact artifact{.name = name, .path = path, .bytes = mapping->bytes(), .owner = mapping};
  state_->opened.emplace(name, artifact);
  return artifact;
}

Result<Artifact> Artifacts::open(const std::string& key) const {
  if (!state_->map) return open_file(key);
  const auto found = state_->map->find(key);
  if (found == state_->map->end()) {
    return fail(DiagnosticKind::FileNotFound, {}, formatted("Failed to find artifact: {}", key));
  }
  return Artifact{.name = key, .path = {}, .bytes = std::as_bytes(std::span(found->second)), .owner = state_->map};
}

Result<Artifact> Artifacts::open_data(const std::string& key) const {
  if (state_->map && !state_->map->contains(key)) return open_file(key);
  return open(key);
}

}  // namespace slipway::recipe
