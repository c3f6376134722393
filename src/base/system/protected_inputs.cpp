// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/system/protected_inputs.hpp"

#include <mutex>
#include <set>

#include "base/format.hpp"

namespace slipway {
namespace {

struct Protected {
  std::mutex mutex;
  bool active = false;
  std::set<Path> files;
};
Protected& protected_files() {
  static Protected one;
  return one;
}

// The file to which a path leads; empty unless it is a regular file, as only those are replaced.
Path regular_file(const Path& path) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error)) return {};
  Path canonical = std::filesystem::canonical(path, error);
  return error ? Path() : canonical;
}

}  // namespace

void protect_inputs() {
  const std::scoped_lock lock(protected_files().mutex);
  protected_files().active = true;
}

void protect_input(const Path& path) {
  const std::scoped_lock lock(protected_files().mutex);
  if (!protected_files().active || path == "-") return;
  if (Path file = regular_file(path); !file.empty()) protected_files().files.insert(std::move(file));
}

InputScope::InputScope() {
  const std::scoped_lock lock(protected_files().mutex);
  before_ = protected_files().files;
}

InputScope::~InputScope() {
  const std::scoped_lock lock(protected_files().mutex);
  protected_files().files = std::move(before_);
}

Result<> check_output(const Path& path) {
  const std::scoped_lock lock(protected_files().mutex);
  if (protected_files().files.empty() || path == "-" || !protected_files().files.contains(regular_file(path)))
    return {};
  return fail(
      Diagnostic{.kind = DiagnosticKind::OutputConflict,
                 .message = formatted("the output {} is also an input, which it would overwrite", path.string()),
                 .location = SourceLocation::in_file(path.string())}
          .hint("choose another name"));
}

Result<> check_outputs(std::span<const Path> paths) {
  std::set<Path> replaced;
  for (const Path& path : paths) {
    if (path.empty()) continue;
    SLIPWAY_TRY_VOID(check_output(path));
    Path file = replaced_file(path);
    if (file.empty() || replaced.insert(std::move(file)).second) continue;
    return fail(Diagnostic{.kind = DiagnosticKind::OutputConflict,
                           .message = formatted("two outputs of this run are written to {}", path.string()),
                           .location = SourceLocation::in_file(path.string())}
                    .hint("choose another name for one of them"));
  }
  return {};
}

}  // namespace slipway
