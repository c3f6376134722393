// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "recipe/cpu/paths.hpp"

#include <array>
#include <cstdlib>

#include "base/format.hpp"
#include "base/system/paths/place.hpp"
#include "base/system/paths/trusted_file.hpp"
#include "platform/library.hpp"

namespace slipway::recipe::cpu {

Path install_prefix() { return own_file().parent_path().parent_path(); }

LibraryRoots library_roots(const Path& given, const Path& artifacts, bool allow_outside) {
  LibraryRoots roots{.roots = {}, .artifacts = {}, .allow_outside = allow_outside};
  if (!given.empty()) {
    roots.roots.push_back(given);
    return roots;
  }
  if (const char* xrt = std::getenv("XILINX_XRT"); xrt && *xrt) roots.roots.emplace_back(xrt);
  if (Path prefix = install_prefix(); !prefix.empty()) roots.roots.push_back(std::move(prefix));
  roots.artifacts = artifacts.empty() ? Path(".") : artifacts;
  roots.roots.push_back(roots.artifacts);
  return roots;
}

std::vector<std::string> library_file_names(std::string_view name) {
  std::vector<std::string> names;
  const auto add = [&](std::string_view base) {
    names.push_back(formatted("lib{}{}", base, platform::library_ending()));
    names.emplace_back(base);
    names.push_back(formatted("{}{}", base, platform::library_ending()));
  };
  add(name);
  for (const std::string_view ending : {".dll", ".so", ".dylib"}) {
    if (name.size() > ending.size() && name.ends_with(ending)) add(name.substr(0, name.size() - ending.size()));
  }
  return names;
}

Result<Path> find_library(std::string_view name, const LibraryRoots& roots, const SourceLocation& location) {
  const Path path(name);
  if (name.empty() || name.contains('\0') || !path.has_filename()) {
    return fail(DiagnosticKind::CpuPath, location, formatted("`{}` is not the name of a library", name));
  }
  const std::string hint =
      "name it relative to a directory given with --library-root, or allow it with --allow-outside";
  if (!roots.allow_outside) {
    if (path.has_root_path()) {
      Diagnostic diagnostic{.kind = DiagnosticKind::CpuPath, .location = location};
      diagnostic.message = formatted("Invalid path '{}' cannot be absolute", name);
      return fail(std::move(diagnostic.hint(hint)));
    }
    for (const Path& part : path) {
      if (part != "..") continue;
      Diagnostic diagnostic{.kind = DiagnosticKind::CpuPath, .location = location};
      diagnostic.message = formatted("Invalid path '{}' escapes xrt", name);
      return fail(std::move(diagnostic.hint(hint)));
    }
  }
  const std::vector<std::string> file_names = library_file_names(path.filename().string());
  const std::vector<Path> only_itself = {Path()};
  for (const Path& root : path.has_root_path() ? only_itself : roots.roots) {
    for (const std::string& file_name : file_names) {
      Path candidate = root / path.parent_path() / file_name;
      if (!file_exists(candidate) || directory_exists(candidate)) continue;
      if (roots.allow_outside || root != roots.artifacts || !fault_of_input(root, candidate)) return candidate;
      Diagnostic diagnostic{.kind = DiagnosticKind::CpuPath, .location = location};
      diagnostic.message = formatted("`{}` is a link that leaves `{}`", candidate.string(), root.string());
      return fail(std::move(diagnostic.hint(hint)));
    }
  }
  Diagnostic diagnostic{.kind = DiagnosticKind::CpuOpen, .location = location};
  diagnostic.message = formatted("there is no CPU library `{}`", name);
  diagnostic.hint("--library-root names the directory that it is in");
  std::string names;
  for (const std::string& one : file_names) names += formatted("{}`{}`", names.empty() ? "" : ", ", one);
  for (const Path& root : path.has_root_path() ? only_itself : roots.roots) {
    const Path directory = (root / path.parent_path()).lexically_normal();
    diagnostic.note(formatted("`{}` has none of {}", directory.empty() ? "." : directory.string(), names));
  }
  return fail(std::move(diagnostic));
}

}  // namespace slipway::recipe::cpu
