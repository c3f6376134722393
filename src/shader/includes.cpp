// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "shader/includes.hpp"

#include "base/format.hpp"
#include "base/system/cache.hpp"
#include "base/system/paths/confined_file.hpp"

namespace slipway::shader {
namespace {

// Limits files that include themselves.
constexpr std::size_t kMaxDepth = 200;
constexpr std::size_t kMaxIncludes = 10'000;

// The names in `include "name"` or `include <name>`, as glslang reads it: blanks between the two, and no other
// expansion than of lines that a backslash continues.
std::set<std::string, std::less<>> included_by(std::string_view text) {
  const auto joined = [](std::string_view lines) {
    std::string one;
    one.reserve(lines.size());
    for (std::size_t i = 0; i < lines.size(); ++i) {
      const std::string_view rest = lines.substr(i);
      const std::size_t skipped = rest.starts_with("\\\r\n")                             ? 3
                                  : rest.starts_with("\\\n") || rest.starts_with("\\\r") ? 2
                                                                                         : 0;
      if (skipped == 0) one += lines[i];
      i += skipped == 0 ? 0 : skipped - 1;
    }
    return one;
  };
  std::string whole;
  if (text.contains("\\\n") || text.contains("\\\r")) text = whole = joined(text);
  std::set<std::string, std::less<>> names;
  constexpr std::string_view kWord = "include";
  for (std::size_t at = text.find(kWord); at != text.npos; at = text.find(kWord, at + 1)) {
    const std::size_t open = text.find_first_not_of(" \t", at + kWord.size());
    if (open == text.npos || (text[open] != '"' && text[open] != '<')) continue;
    const std::size_t end = text.find_first_of(text[open] == '<' ? ">\n" : "\"\n", open + 1);
    if (end != text.npos && text[end] != '\n') names.emplace(text.substr(open + 1, end - open - 1));
  }
  return names;
}

}  // namespace

std::string hash_of(std::string_view text) { return Cache::key({text}); }

ReadFile reader_below(std::vector<Path> directories) {
  return [directories = std::move(directories)](const Path& path) {
    Result<std::string> text = read_text_below(directories.front(), path);
    for (std::size_t i = 1; i < directories.size() && !text; ++i) {
      if (text.error().front().kind == DiagnosticKind::PathOutside) text = read_text_below(directories[i], path);
    }
    return text;
  };
}

Includes::Includes(const SourcePtr& main, const Options& options) : options_(options), main_(main->name()) {
  sources_[main_] = main;
}

bool Includes::is_named(std::string_view name, std::string_view includer) {
  const auto source = sources_.find(includer);
  if (name.empty() || source == sources_.end()) return false;
  const auto [of, is_new] = names_.try_emplace(source->first);
  if (is_new) of->second = included_by(source->second->text());
  return of->second.contains(name);
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
