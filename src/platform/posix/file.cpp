// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "platform/file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <climits>

namespace slipway::platform {
namespace {

static_assert(kCurrentDirectory == AT_FDCWD);
constexpr mode_t kNewFile = 0666, kNewDirectory = 0777;

std::unexpected<int> system_error() { return std::unexpected(errno); }
int error_of(int result) { return result == 0 ? 0 : errno; }

// Repeats a call that a signal interrupts.
template <class Call>
Opened<std::size_t> repeated(const Call& call) {
  for (;;) {
    const ssize_t count = call();
    if (count >= 0) return static_cast<std::size_t>(count);
    if (errno != EINTR) return system_error();
  }
}

FileKind kind_of(mode_t mode) {
  if (S_ISREG(mode)) return FileKind::Regular;
  if (S_ISDIR(mode)) return FileKind::Directory;
  if (S_ISLNK(mode)) return FileKind::Link;
  if (S_ISFIFO(mode)) return FileKind::Pipe;
  return S_ISCHR(mode) ? FileKind::CharacterDevice : FileKind::Other;
}

Opened<FileStatus> status(int result, const struct stat& from) {
  if (result != 0) return system_error();
  return FileStatus{.kind = kind_of(from.st_mode),
                    .device = from.st_dev,
                    .inode = from.st_ino,
                    .size = static_cast<std::uint64_t>(from.st_size),
                    .links = from.st_nlink,
                    .driver = from.st_rdev,
                    .owner = from.st_uid,
                    .group = from.st_gid,
                    .group_writes = (from.st_mode & S_IWGRP) != 0,
                    .all_write = (from.st_mode & S_IWOTH) != 0,
                    .is_sticky = (from.st_mode & S_ISVTX) != 0};
}

}  // namespace

Opened<FileStatus> status_of(const Path& path) {
  struct stat found{};
  return status(::stat(path.c_str(), &found), found);
}

Opened<FileStatus> status_of(int file) {
  struct stat found{};
  return status(::fstat(file, &found), found);
}

Opened<FileStatus> status_at(int directory, const std::string& name) {
  struct stat found{};
  return status(::fstatat(directory, name.c_str(), &found, AT_SYMLINK_NOFOLLOW), found);
}

bool is_plain_name(const Path&) { return true; }
std::uint32_t user_id() { return ::geteuid(); }

// In posix/file.cpp for linux/file.cpp.
int system_flags(unsigned flags) {
  const std::pair<unsigned, int> all[] = {
      {kWrite, O_WRONLY},     {kReadWrite, O_RDWR},     {kAppend, O_APPEND},
      {kCreate, O_CREAT},     {kNew, O_CREAT | O_EXCL}, {kNoFollow, O_NOFOLLOW},
      {kNoWait, O_NONBLOCK},  {kNoTerminal, O_NOCTTY},  {kDirectory, O_DIRECTORY},
#ifdef O_PATH
      {kHandle, O_PATH},
#endif
#ifdef O_TMPFILE
      {kNameless, O_TMPFILE},
#endif
  };
  int result = O_RDONLY | O_CLOEXEC;
  for (const auto& [flag, its] : all) result |= (flags & flag) != 0 ? its : 0;
  return result;
}

Opened<OwnedDescriptor> open_at(int directory, const Path& name, unsigned flags) {
  OwnedDescriptor file(::openat(directory, name.c_str(), system_flags(flags), kNewFile));
  if (file.number() < 0) return system_error();
  return file;
}

int duplicate(int file, int as) { return ::dup2(file, as) < 0 ? errno : 0; }

Opened<Path> target_of_link(int directory, const std::string& name) {
  std::string target(PATH_MAX, '\0');
  const ssize_t size = ::readlinkat(directory, name.c_str(), target.data(), target.size());
  if (size < 0) return system_error();
  target.resize(static_cast<std::size_t>(size));
  return Path(std::move(target));
}

int make_directory(int directory, const Path& name) {
  return error_of(::mkdirat(directory, name.c_str(), kNewDirectory));
}
int make_private_directory(const Path& path) { return error_of(::mkdir(path.c_str(), S_IRWXU)); }

Opened<Path> make_temporary_directory(const Path& pattern) {
  std::string name = pattern.native();
  if (!::mkdtemp(name.data())) return system_error();
  return Path(name);
}

int remove_name(int directory, const std::string& name) { return error_of(::unlinkat(directory, name.c_str(), 0)); }
int rename_in(int directory, const std::string& from, const std::string& to) {
  return error_of(::renameat(directory, from.c_str(), directory, to.c_str()));
}

Opened<std::size_t> read_some(int file, std::span<std::byte> to) {
  return repeated([&] { return ::read(file, to.data(), to.size()); });
}
Opened<std::size_t> read_at(int file, std::span<std::byte> to, std::uint64_t offset) {
  return repeated([&] { return ::pread(file, to.data(), to.size(), static_cast<off_t>(offset)); });
}
Opened<std::size_t> write_some(int file, std::span<const std::byte> bytes) {
  return repeated([&] { return ::write(file, bytes.data(), bytes.size()); });
}

int write_all(int file, std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const Opened<std::size_t> count = write_some(file, bytes);
    if (!count) return count.error();
    bytes = bytes.subspan(*count);
  }
  return 0;
}

Opened<std::uint64_t> size_by_seeking(int file) {
  const off_t size = ::lseek(file, 0, SEEK_END);
  if (size < 0) return system_error();
  return static_cast<std::uint64_t>(size);
}

Opened<std::uint64_t> position_of(int file) {
  const off_t at = ::lseek(file, 0, SEEK_CUR);
  if (at < 0) return system_error();
  return static_cast<std::uint64_t>(at);
}

int go_to(int file, std::uint64_t position) {
  return ::lseek(file, static_cast<off_t>(position), SEEK_SET) < 0 ? errno : 0;
}
int truncate(int file, std::uint64_t size) { return error_of(::ftruncate(file, static_cast<off_t>(size))); }
int flush_to_disk(int file, bool with_names) { return error_of(with_names ? ::fsync(file) : ::fdatasync(file)); }
int wait_from_now_on(int file) { return error_of(::fcntl(file, F_SETFL, 0)); }
int close_file(int file) { return error_of(::close(file)); }

}  // namespace slipway::platform
