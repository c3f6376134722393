// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/system/paths/trusted_file.hpp"

#include <dlfcn.h>
#include <sys/stat.h>
#include <unistd.h>

#include <set>

#include "base/format.hpp"

namespace slipway {
namespace {

// Who may change the file, beside its owner, root and this user; empty: no one else.
std::string others_of(const struct stat& status, const struct stat& program) {
  if (status.st_uid != 0 && status.st_uid != ::geteuid() && status.st_uid != program.st_uid)
    return formatted("belongs to another user ({})", status.st_uid);
  // In a sticky directory no other user can replace a file of its owner, which is examined itself.
  if (S_ISDIR(status.st_mode) && (status.st_mode & S_ISVTX) != 0) return "";
  if ((status.st_mode & S_IWOTH) != 0) return "may be changed by all users";
  const bool is_of_program = (program.st_mode & S_IWGRP) != 0 && program.st_gid == status.st_gid;
  if ((status.st_mode & S_IWGRP) != 0 && status.st_gid != 0 && !is_of_program)
    return formatted("may be changed by a group ({})", status.st_gid);
  return "";
}

// The directories of a file, up to the root.
std::set<std::pair<dev_t, ino_t>> directories_of(const Path& file) {
  std::set<std::pair<dev_t, ino_t>> directories;
  for (Path at = file.parent_path();; at = at.parent_path()) {
    struct stat status{};
    if (::stat(at.c_str(), &status) == 0) directories.emplace(status.st_dev, status.st_ino);
    if (at == at.parent_path()) return directories;
  }
}

}  // namespace

Path own_file() {
  Dl_info info{};
  if (dladdr(reinterpret_cast<const void*>(&own_file), &info) == 0 || !info.dli_fname) return {};
  std::error_code error;
  // For a program that was found through PATH, dli_fname is the bare name.
  const std::string_view name = info.dli_fname;
  Path file = std::filesystem::canonical(name.contains('/') ? Path(name) : Path("/proc/self/exe"), error);
  return error ? Path() : file;
}

std::string distrust(const Path& file, const Path& program) {
  std::error_code error;
  const Path canonical = std::filesystem::canonical(file, error);
  struct stat own{}, status{};
  if (error || ::stat(program.c_str(), &own) != 0) return formatted("`{}` cannot be examined", file.native());
  const auto trusted = directories_of(program);
  for (Path at = canonical;; at = at.parent_path()) {
    if (::stat(at.c_str(), &status) != 0) return formatted("`{}` cannot be examined", at.native());
    if (trusted.contains({status.st_dev, status.st_ino})) return "";
    if (const std::string others = others_of(status, own); !others.empty())
      return formatted("`{}` {}", at.native(), others);
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
    const Path file = one / file_name;
    if (!file_exists(file) || directory_exists(file)) continue;
    std::string reason = distrust(file, program);
    if (reason.empty()) return file;
    return std::unexpected(std::move(reason));
  }
  return std::unexpected("");
}

}  // namespace slipway
