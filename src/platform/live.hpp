// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Notes of the system about files that are written, and sockets that have a name in the file system. Nothing here
// waits; `wait_for_any` (channel.hpp) does. Failures are numbers of <cerrno>.
#pragma once

#include <string>
#include <vector>

#include "platform/file.hpp"

namespace slipway::platform {

// Readable when there are notes.
Opened<OwnedDescriptor> open_notes();
// Of files in a directory that are written, renamed or removed. The number of the directory in notes.
Opened<int> watch_directory(int notes, const Path& directory);
struct FileNote {
  int directory = -1;  // -1: notes were lost, of any file
  std::string name;    // in the directory
};
std::vector<FileNote> take_notes(int notes);

// A socket to which only this user may connect; one that no program serves any more is replaced. Readable when a
// program connects. Errors: EEXIST for another file of this name, EADDRINUSE for a socket that is served, ENAMETOOLONG.
Opened<OwnedDescriptor> listen_at(const Path& path);
inline constexpr std::size_t kMaxSocketName = 107;
Opened<OwnedDescriptor> accept_client(int socket);
// EAGAIN if the other side does not take more now.
Opened<std::size_t> send_some(int channel, std::span<const std::byte> bytes);

}  // namespace slipway::platform
