// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "platform/live.hpp"

#include <sys/inotify.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>

namespace slipway::platform {
namespace {

static_assert(kMaxSocketName == sizeof(sockaddr_un::sun_path) - 1);

OwnedDescriptor new_socket() {
  return OwnedDescriptor(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
}

}  // namespace

Opened<OwnedDescriptor> open_notes() {
  OwnedDescriptor notes(::inotify_init1(IN_NONBLOCK | IN_CLOEXEC));
  if (notes.number() < 0) return std::unexpected(errno);
  return notes;
}

Opened<int> watch_directory(int notes, const Path& directory) {
  constexpr std::uint32_t kWritten = IN_CLOSE_WRITE | IN_MOVED_TO | IN_DELETE | IN_MOVED_FROM | IN_ONLYDIR;
  const int number = ::inotify_add_watch(notes, directory.c_str(), kWritten);
  if (number < 0) return std::unexpected(errno);
  return number;
}

std::vector<FileNote> take_notes(int notes) {
  std::vector<FileNote> taken;
  alignas(inotify_event) std::array<char, 16384> buffer;
  for (;;) {
    const std::size_t got = read_some(notes, std::as_writable_bytes(std::span(buffer))).value_or(0);
    if (got == 0) return taken;
    for (std::size_t at = 0; at + sizeof(inotify_event) <= got;) {
      inotify_event event{};
      std::memcpy(&event, buffer.data() + at, sizeof event);
      const char* const name = buffer.data() + at + sizeof event;
      at += sizeof event + event.len;
      if ((event.mask & IN_Q_OVERFLOW) != 0) taken.emplace_back();
      if (event.len != 0) taken.push_back({event.wd, std::string(name, ::strnlen(name, event.len))});
    }
  }
}

Opened<OwnedDescriptor> listen_at(const Path& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.native().size() > kMaxSocketName) return std::unexpected(ENAMETOOLONG);
  std::memcpy(address.sun_path, path.c_str(), path.native().size());
  const auto* const given = reinterpret_cast<const sockaddr*>(&address);
  struct stat status{};
  if (::lstat(path.c_str(), &status) == 0) {
    if (!S_ISSOCK(status.st_mode)) return std::unexpected(EEXIST);
    const OwnedDescriptor probe = new_socket();
    if (probe.number() < 0) return std::unexpected(errno);
    if (::connect(probe.number(), given, sizeof address) == 0 || errno == EAGAIN || errno == EPROTOTYPE)
      return std::unexpected(EADDRINUSE);
    if (errno != ECONNREFUSED) return std::unexpected(errno);  // only that says that no program serves it
    ::unlink(path.c_str());
  }
  OwnedDescriptor socket = new_socket();
  if (socket.number() < 0) return std::unexpected(errno);
  // The permissions are those of the descriptor, so that the name never has others.
  ::fchmod(socket.number(), S_IRUSR | S_IWUSR);
  if (::bind(socket.number(), given, sizeof address) != 0) return std::unexpected(errno);
  ::chmod(path.c_str(), S_IRUSR | S_IWUSR);
  if (::listen(socket.number(), SOMAXCONN) != 0) {
    const int error = errno;
    ::unlink(path.c_str());
    return std::unexpected(error);
  }
  return socket;
}

Opened<OwnedDescriptor> accept_client(int socket) {
  OwnedDescriptor client(::accept4(socket, nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
  if (client.number() < 0) return std::unexpected(errno);
  return client;
}

Opened<std::size_t> send_some(int channel, std::span<const std::byte> bytes) {
  for (;;) {
    const ssize_t sent = ::send(channel, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent >= 0) return static_cast<std::size_t>(sent);
    if (errno != EINTR) return std::unexpected(errno);
  }
}

}  // namespace slipway::platform
