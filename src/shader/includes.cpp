// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "shader/includes.hpp"

#include "base/format.hpp"

namespace slipway::shader {
namespace {

// Limits files that include themselves.
constexpr std::size_t kMaxDepth = 200;
constexpr std::size_t kMaxIncludes = 10'000;

}  // namespace

Includes::Includes(const SourcePtr& main, const Options& options) : options_(options), main_(main->name()) {
  sources_[main_] = main;
}

Result<SourcePtr> Includes::find(const std::string& name, const std::string& includer, std::size_t depth) {
  if (depth > kMaxDepth || ++count_ > kMaxIncludes) {
    return fail(DiagnosticKind::ShaderCompile, SourceLocation::in_file(includer),
                formatted("more than {} includes in each other or {} in all", kMaxDepth, kMaxIncludes));
  }
  std::vector<Path> directories = {includer == main_ ? options_.directory : Path(includer).parent_path()};
  directories.insert(directories.end(), options_.include_dirs.begin(), options_.include_dirs.end());
  std::string searched;
  for (const Path& directory : directories) {
    Result<SourcePtr> found = read((directory / name).lexically_normal());
    if (found || found.error().at(0).kind != DiagnosticKind::FileNotFound) return found;
    searched += formatted("{}`{}`", searched.empty() ? "" : ", ", directory.empty() ? "." : directory.string());
  }
  return fail(DiagnosticKind::FileNotFound, SourceLocation::in_file(includer),
              formatted("no such file in {}", searched));
}

Result<SourcePtr> Includes::read(const Path& path) {
  const auto known = sources_.find(path.string());
  if (known != sources_.end()) return known->second;
  Result<std::string> text = options_.read_file(path);
  if (!text) {
    if (text.error().at(0).kind == DiagnosticKind::FileNotFound) hashes_[path] = "";
    return std::unexpected(std::move(text.error()));
  }
  hashes_[path] = hash_of(*text);
  return sources_[path.string()] = make_source(path.string(), std::move(*text));
}

std::vector<Dependency> Includes::dependencies() const {
  std::vector<Dependency> all;
  for (const auto& [path, hash] : hashes_) all.push_back({path, hash});
  return all;
}

}  // namespace slipway::shader
