// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "platform/file.hpp"

#include <fcntl.h>
#include <linux/magic.h>
#include <linux/openat2.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

namespace slipway::platform {

int system_flags(unsigned flags);  // in posix/file.cpp

namespace {

std::string link_of(int file) { return "/proc/self/fd/" + std::to_string(file); }

}  // namespace

// Devices of the memory driver that give bytes without end: zero, full, random, urandom, kmsg.
bool has_no_end(const FileStatus& status) {
  constexpr unsigned kMemoryDriver = 1, kEndless[] = {5, 7, 8, 9, 11};
  return status.kind == FileKind::CharacterDevice && major(status.driver) == kMemoryDriver &&
         std::ranges::contains(kEndless, minor(status.driver));
}

Opened<OwnedDescriptor> open_below(int directory, const Path& name, unsigned flags) {
  open_how how{};
  how.flags = static_cast<std::uint64_t>(system_flags(flags));
  how.resolve = RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS;
  constexpr int kMaxAttempts = 100;  // EAGAIN: a directory on the way was renamed meanwhile
  for (int i = 0; i < kMaxAttempts; ++i) {
    OwnedDescriptor file(static_cast<int>(::syscall(SYS_openat2, directory, name.c_str(), &how, sizeof how)));
    if (file.number() >= 0) return file;
    // Filters of older containers answer EPERM to calls that they do not know.
    if (errno == ENOSYS || errno == EPERM) return std::unexpected(ENOSYS);
    if (errno != EAGAIN) return std::unexpected(errno);
  }
  return std::unexpected(EAGAIN);
}

Opened<OwnedDescriptor> reopen(int file, unsigned flags) { return open_file(link_of(file), flags); }

Opened<OwnedDescriptor> open_memory(const char* name) {
  OwnedDescriptor file(::memfd_create(name, MFD_CLOEXEC));
  if (file.number() < 0) return std::unexpected(errno);
  return file;
}

int give_name(int file, int directory, const std::string& name) {
  const std::string self = link_of(file);
  return ::linkat(AT_FDCWD, self.c_str(), directory, name.c_str(), AT_SYMLINK_FOLLOW) == 0 ? 0 : errno;
}

bool holds_open_files(int directory) {
  struct statfs status{};
  return ::fstatfs(directory, &status) == 0 && status.f_type == PROC_SUPER_MAGIC;
}

}  // namespace slipway::platform
