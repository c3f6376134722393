// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/system/live/file_watch.hpp"

#include <algorithm>
#include <cerrno>
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

Result<> FileWatch::watch(const std::set<Path>& files) {
  Result<> result;
  // Files lose their watch when another one gets their name, so their directories are watched.
  for (const Path& file : files) {
    std::error_code ignored;
    for (const Path& name : {file, std::filesystem::weakly_canonical(file, ignored)}) {
      if (name.empty()) continue;
      const auto directory = platform::watch_directory(notes_.number(), directory_of(name));
      if (directory) {
        const auto [begin, end] = files_.equal_range({*directory, name.filename().string()});
        if (std::none_of(begin, end, [&](const auto& each) { return each.second == file; }))
          files_.emplace(std::pair(*directory, name.filename().string()), file);
      } else if (result && directory.error() != ENOENT && directory.error() != ENOTDIR) {
        result = fail(DiagnosticKind::DeviceFailed, SourceLocation::in_file(name.string()),
                      formatted("its directory cannot be watched: {}", std::strerror(directory.error())));
      }
    }
  }
  return result;
}

std::set<Path> FileWatch::take() {
  std::set<Path> written;
  for (const platform::FileNote& note : platform::take_notes(notes_.number())) {
    if (note.directory < 0) {  // any of them
      for (const auto& [place, file] : files_) written.insert(file);
    }
    const auto [begin, end] = files_.equal_range({note.directory, note.name});
    for (auto found = begin; found != end; ++found) written.insert(found->second);
  }
  return written;
}

}  // namespace slipway
