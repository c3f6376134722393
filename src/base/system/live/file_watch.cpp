// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/system/live/file_watch.hpp"

#include <sys/inotify.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>

#include "base/format.hpp"
#include "base/system/streams.hpp"

namespace slipway {

Result<FileWatch> FileWatch::open() {
  OwnedDescriptor notes(::inotify_init1(IN_NONBLOCK | IN_CLOEXEC));
  if (notes.number() < 0)
    return fail(DiagnosticKind::DeviceFailed, {}, formatted("files cannot be watched: {}", std::strerror(errno)));
  return FileWatch(std::move(notes));
}

void FileWatch::watch(const std::set<Path>& files) {
  // Files lose their watch when another one gets their name, so their directories are watched.
  constexpr std::uint32_t kWritten = IN_CLOSE_WRITE | IN_MOVED_TO | IN_DELETE | IN_MOVED_FROM | IN_ONLYDIR;
  for (const Path& file : files) {
    std::error_code ignored;
    for (const Path& name : {file, std::filesystem::weakly_canonical(file, ignored)}) {
      if (name.empty()) continue;
      const int directory = ::inotify_add_watch(notes_.number(), directory_of(name).c_str(), kWritten);
      if (directory >= 0) files_.emplace(std::pair(directory, name.filename().string()), file);
    }
  }
}

std::set<Path> FileWatch::take() {
  std::set<Path> written;
  alignas(inotify_event) std::array<char, 16384> buffer;
  for (;;) {
    const ssize_t got = ::read(notes_.number(), buffer.data(), buffer.size());
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return written;
    for (std::size_t at = 0; at + sizeof(inotify_event) <= static_cast<std::size_t>(got);) {
      inotify_event event{};
      std::memcpy(&event, buffer.data() + at, sizeof event);
      const char* const name = buffer.data() + at + sizeof event;
      at += sizeof event + event.len;
      if ((event.mask & IN_Q_OVERFLOW) != 0) {  // any of them
        for (const auto& [place, file] : files_) written.insert(file);
      }
      if (event.len == 0) continue;
      const auto found = files_.find({event.wd, std::string(name, ::strnlen(name, event.len))});
      if (found != files_.end()) written.insert(found->second);
    }
  }
}

}  // namespace slipway
