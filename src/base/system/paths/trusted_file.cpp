// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/system/paths/trusted_file.hpp"

#include <set>

#include "base/format.hpp"
#include "platform/file.hpp"
#include "platform/library.hpp"

namespace slipway {
namespace {

// Who may change the file, beside its owner, root and this user; empty: no one else.
std::string others_of(const platform::FileStatus& status, const platform::FileStatus& program) {
  if (status.owner != 0 && status.owner != platform::user_id() && status.owner != program.owner)
    return formatted("belongs to another user ({})", status.owner);
  // In a sticky directory no other user can replace a file of its owner, which is examined itself.
  if (status.is_directory() && status.is_sticky) return "";
  if (status.all_write) return "may be changed by all users";
  const bool is_of_program = program.group_writes && program.group == status.group;
  if (status.group_writes && status.group != 0 && !is_of_program)
    return formatted("may be changed by a group ({})", status.group);
  return "";
}

// The directories of a file, up to the root.
std::set<std::pair<std::uint64_t, std::uint64_t>> directories_of(const Path& file) {
  std::set<std::pair<std::uint64_t, std::uint64_t>> directories;
  for (Path at = file.parent_path();; at = at.parent_path()) {
    if (const auto status = platform::status_of(at)) directories.emplace(status->device, status->inode);
    if (at == at.parent_path()) return directories;
  }
}

}  // namespace

Path own_file() {
  const Path name = platform::file_of_code(reinterpret_cast<const void*>(&own_file));
  if (name.empty()) return {};
  std::error_code error;
  // A program that was found through PATH has its bare name.
  Path file = std::filesystem::canonical(name.has_parent_path() ? name : platform::running_program(), error);
  return error ? Path() : file;
}

std::string distrust(const Path& file, const Path& program) {
  std::error_code error;
  const Path canonical = std::filesystem::canonical(file, error);
  const auto own = platform::status_of(program);
  if (error || !own) return formatted("`{}` cannot be examined", file.string());
  const auto trusted = directories_of(program);
  for (Path at = canonical;; at = at.parent_path()) {
    const auto status = platform::status_of(at);
    if (!status) return formatted("`{}` cannot be examined", at.string());
    if (trusted.contains({status->device, status->inode})) return "";
    if (const std::string others = others_of(*status, *own); !others.empty())
      return formatted("`{}` {}", at.string(), others);
    if (at == at.parent_path()) return "";
  }
}

std::expected<Path, std::string> installed_module(std::string_view file_name, const Path& program) {
  if (program.empty()) return std::unexpected("");
  const Path directory = program.parent_path(), prefix = directory.parent_path();
  std::vector<Path> directories = {directory, directory / "slipway"};
  // Of a program in `bin` only: the parent of another directory may belong to anyone.
  if (directory.filename() == "bin")
    directories.insert(directories.end(), {prefix / SLIPWAY_LIBRARY_DIRECTORY / "slipway", prefix / "lib" / "slipway"});
  for (const Path& one : directories) {
    Path file = one / file_name;
    if (!file_exists(file) || directory_exists(file)) continue;
    std::string reason = distrust(file, program);
    if (reason.empty()) return file;
    return std::unexpected(std::move(reason));
  }
  return std::unexpected("");
}

}  // namespace slipway
