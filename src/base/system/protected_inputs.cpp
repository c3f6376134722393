// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/system/protected_inputs.hpp"

#include <algorithm>
#include <iterator>
#include <mutex>

#include "base/format.hpp"
#include "base/system/paths/place.hpp"

namespace slipway {
namespace {

struct Protected {
  std::mutex mutex;
  bool active = false;
  std::set<FileKey> files;  // by their names, and by themselves
};
Protected& protected_files() {
  static Protected one;
  return one;
}

FileKey key_of(const platform::FileStatus& status, std::string name = {}) {
  return {.device = status.device, .inode = status.inode, .name = std::move(name)};
}

std::unexpected<Failure> conflict(const Path& path) {
  return fail(
      Diagnostic{.kind = DiagnosticKind::OutputConflict,
                 .message = formatted("the output {} is also an input, which it would overwrite", path.string()),
                 .location = SourceLocation::in_file(path.string())}
          .hint("choose another name"));
}

}  // namespace

std::optional<FileKey> key_of_name(const Path& path) {
  std::error_code error;
  if (std::filesystem::is_directory(path, error)) return std::nullopt;
  // Directories that do not exist yet are part of the name.
  Path begin = path, rest;
  for (;;) {
    const auto place = place_of(begin, {});
    if (const auto directory = place ? platform::status_of(place->directory->number()) : std::unexpected(0))
      return key_of(*directory, rest.empty() ? place->name : (place->name / rest).lexically_normal().string());
    if (place || place.error() != ENOENT || !begin.has_parent_path() || begin.parent_path() == begin)
      return std::nullopt;
    rest = rest.empty() ? begin.filename() : begin.filename() / rest;
    begin = begin.parent_path();
  }
}

void protect_inputs() {
  const std::scoped_lock lock(protected_files().mutex);
  protected_files().active = true;
}

void protect_input(const Path& path) {
  const std::scoped_lock lock(protected_files().mutex);
  if (!protected_files().active || path == "-") return;
  const auto status = platform::status_of(path);
  if (!status || !status->is_regular()) return;  // only those are replaced
  protected_files().files.insert(key_of(*status));
  if (auto key = key_of_name(path)) protected_files().files.insert(*std::move(key));
}

void protect_input(FileKey key) {
  const std::scoped_lock lock(protected_files().mutex);
  if (protected_files().active) protected_files().files.insert(std::move(key));
}

InputScope::InputScope() {
  const std::scoped_lock lock(protected_files().mutex);
  before_ = protected_files().files;
}

InputScope::~InputScope() {
  const std::scoped_lock lock(protected_files().mutex);
  protected_files().files = std::move(before_);
}

std::vector<FileKey> InputScope::added() const {
  const std::scoped_lock lock(protected_files().mutex);
  std::vector<FileKey> added;
  std::ranges::set_difference(protected_files().files, before_, std::back_inserter(added));
  return added;
}

Result<> check_output(const Path& path) {
  const std::scoped_lock lock(protected_files().mutex);
  if (protected_files().files.empty() || path == "-") return {};
  const std::optional<FileKey> key = key_of_name(path);
  if (!key || !protected_files().files.contains(*key)) return {};
  return conflict(path);
}

Result<> check_changed(int file, const Path& path) {
  const std::scoped_lock lock(protected_files().mutex);
  const auto status = platform::status_of(file);
  if (!status || !protected_files().files.contains(key_of(*status))) return {};
  return conflict(path);
}

Result<> check_outputs(std::span<const Path> paths) {
  std::set<FileKey> replaced;
  for (const Path& path : paths) {
    if (path.empty()) continue;
    SLIPWAY_TRY_VOID(check_output(path));
    std::optional<FileKey> file = replaced_file(path);
    if (!file || replaced.insert(*std::move(file)).second) continue;
    return fail(Diagnostic{.kind = DiagnosticKind::OutputConflict,
                           .message = formatted("two outputs of this run are written to {}", path.string()),
                           .location = SourceLocation::in_file(path.string())}
                    .hint("choose another name for one of them"));
  }
  return {};
}

}  // namespace slipway
