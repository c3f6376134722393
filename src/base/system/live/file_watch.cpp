// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/system/live/file_watch.hpp"

#include <cstring>

#include "base/format.hpp"
#include "platform/live.hpp"

namespace slipway {

Result<FileWatch> FileWatch::open() {
  auto notes = platform::open_notes();
  if (!notes)
    return fail(DiagnosticKind::DeviceFailed, {},
                formatted("files cannot be watched: {}", std::strerror(notes.error())));
  return FileWatch(*std::move(notes));
}

void FileWatch::watch(const std::set<Path>& files) {
  // Files lose their watch when another one gets their name, so their directories are watched.
  for (const Path& file : files) {
    std::error_code ignored;
    for (const Path& name : {file, std::filesystem::weakly_canonical(file, ignored)}) {
      if (name.empty()) continue;
      if (const auto directory = platform::watch_directory(notes_.number(), directory_of(name)))
        files_.emplace(std::pair(*directory, name.filename().string()), file);
    }
  }
}

std::set<Path> FileWatch::take() {
  std::set<Path> written;
  for (const platform::FileNote& note : platform::take_notes(notes_.number())) {
    if (note.directory < 0) {  // any of them
      for (const auto& [place, file] : files_) written.insert(file);
    }
    const auto found = files_.find({note.directory, note.name});
    if (found != files_.end()) written.insert(found->second);
  }
  return written;
}

}  // namespace slipway
