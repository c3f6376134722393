#include "scenario/paths.hpp"

#include <cctype>
#include <format>

namespace slipway::scenario {
namespace {

Path or_current(const Path& folder) { return folder.empty() ? Path(".") : folder; }

std::optional<Path> confined(const Folders& folders, const Path& base, Path resolved, json::Value path,
                             Diagnostics& diagnostics) {
  if (folders.confine && !is_inside(resolved, or_current(base))) {
    diagnostics.add(json::problem(path, DiagnosticKind::PathOutside,
                                  std::format("`{}` leaves the folder {}, to which --confine keeps this scenario",
                                              path.string(), or_current(base).string())));
    return std::nullopt;
  }
  return resolved;
}

}  // namespace

std::optional<Path> resolve_input(const Folders& folders, json::Value path, Diagnostics& diagnostics) {
  return confined(folders, folders.scenario, folders.scenario / path.string(), path, diagnostics);
}

std::optional<Path> resolve_output(const Folders& folders, json::Value path, Diagnostics& diagnostics) {
  const Path& base = folders.output.empty() ? folders.scenario : folders.output;
  return confined(folders, base, base / path.string(), path, diagnostics);
}

std::optional<Path> resolve_include_folder(const Folders& folders, json::Value path, Diagnostics& diagnostics) {
  Path resolved = folders.scenario / path.string();
  if (!is_folder(resolved) && is_folder(path.string())) {
    diagnostics.add(json::problem(path, DiagnosticKind::DeprecatedForm,
                                  std::format("include directory `{}` is not below the scenario's folder; the one in the "
                                              "current directory is used, but paths count from the scenario file",
                                              path.string()),
                                  Severity::Warning));
    resolved = path.string();
  }
  return confined(folders, folders.scenario, std::move(resolved), path, diagnostics);
}

std::string canonical_name(const Path& path) {
  std::error_code error;
  const Path whole = std::filesystem::weakly_canonical(std::filesystem::absolute(path, error), error);
  return error ? path.lexically_normal().string() : whole.string();
}

std::string extension_of(const Path& path) {
  std::string extension = path.extension().string();
  for (char& c : extension) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return extension;
}

}  // namespace slipway::scenario
