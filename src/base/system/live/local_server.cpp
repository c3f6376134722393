// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/system/live/local_server.hpp"

#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>

#include "base/format.hpp"

namespace slipway {
namespace {

std::unexpected<Failure> unusable(const Path& path, std::string_view why) {
  return fail(DiagnosticKind::FileUnwritable, SourceLocation::in_file(path.string()),
              formatted("cannot make the socket {}: {}", path.string(), why));
}

OwnedDescriptor new_socket() {
  return OwnedDescriptor(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
}

}  // namespace

Result<LocalServer> LocalServer::open(const Path& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.native().size() >= sizeof address.sun_path)
    return unusable(path, formatted("its name has more than {} bytes", sizeof address.sun_path - 1));
  std::memcpy(address.sun_path, path.c_str(), path.native().size());
  const auto* const given = reinterpret_cast<const sockaddr*>(&address);
  struct stat status{};
  if (::lstat(path.c_str(), &status) == 0) {
    if (!S_ISSOCK(status.st_mode)) return unusable(path, "a file has this name");
    const OwnedDescriptor probe = new_socket();
    if (::connect(probe.number(), given, sizeof address) == 0 || errno == EAGAIN)
      return unusable(path, "another program serves it");
    ::unlink(path.c_str());
  }
  OwnedDescriptor socket = new_socket();
  if (socket.number() < 0) return unusable(path, std::strerror(errno));
  // The permissions are those of the descriptor, so that the name never has others.
  ::fchmod(socket.number(), S_IRUSR | S_IWUSR);
  if (::bind(socket.number(), given, sizeof address) != 0) return unusable(path, std::strerror(errno));
  LocalServer server(path, std::move(socket));
  ::chmod(path.c_str(), S_IRUSR | S_IWUSR);
  if (::listen(server.socket_.number(), SOMAXCONN) != 0) return unusable(path, std::strerror(errno));
  return server;
}

LocalServer::~LocalServer() {
  if (socket_.number() >= 0) ::unlink(path_.c_str());
}

void LocalServer::add_to(std::vector<pollfd>& polled) const {
  polled.push_back({.fd = socket_.number(), .events = POLLIN, .revents = 0});
  for (const Client& client : clients_) {
    const short events = wants_to_write(client) ? POLLIN | POLLOUT : POLLIN;
    polled.push_back({.fd = client.socket.number(), .events = events, .revents = 0});
  }
}

void LocalServer::serve() {
  for (;;) {
    OwnedDescriptor socket(::accept4(socket_.number(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
    if (socket.number() < 0) break;
    clients_.push_back({.socket = std::move(socket), .message = nullptr, .last = nullptr});
  }
  std::erase_if(clients_, [&](Client& client) { return !serve(client); });
}

bool LocalServer::serve(Client& client) const {
  // Clients say nothing; what can be read is the end of the connection.
  std::array<char, 64> ignored;
  const ssize_t got = ::recv(client.socket.number(), ignored.data(), ignored.size(), 0);
  if (got == 0 || (got < 0 && errno != EAGAIN && errno != EINTR)) return false;
  while (wants_to_write(client)) {
    if (!client.message) client.message = newest_;
    const Bytes bytes = std::as_bytes(std::span(*client.message)).subspan(client.sent);
    const ssize_t sent = ::send(client.socket.number(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent < 0) return errno == EAGAIN || errno == EINTR;
    client.sent += static_cast<std::size_t>(sent);
    if (static_cast<std::size_t>(sent) < bytes.size()) continue;
    client.last = std::exchange(client.message, nullptr);
    client.sent = 0;
  }
  return true;
}

}  // namespace slipway
