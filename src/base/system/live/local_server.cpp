// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/system/live/local_server.hpp"

#include <array>
#include <cerrno>
#include <cstring>

#include "base/format.hpp"
#include "platform/live.hpp"

namespace slipway {
namespace {

std::unexpected<Failure> unusable(const Path& path, std::string_view why) {
  return fail(DiagnosticKind::FileUnwritable, SourceLocation::in_file(path.string()),
              formatted("cannot make the socket {}: {}", path.string(), why));
}

}  // namespace

Result<LocalServer> LocalServer::open(const Path& path) {
  auto socket = platform::listen_at(path);
  if (socket) return LocalServer(path, *std::move(socket));
  switch (socket.error()) {
    case ENAMETOOLONG:
      return unusable(path, formatted("its name has more than {} bytes", platform::kMaxSocketName));
    case EEXIST:
      return unusable(path, "a file has this name");
    case EADDRINUSE:
      return unusable(path, "another program serves it");
    default:
      return unusable(path, std::strerror(socket.error()));
  }
}

LocalServer::~LocalServer() {
  if (socket_.number() >= 0) remove_file(path_);
}

void LocalServer::add_to(std::vector<platform::Watched>& watched) const {
  watched.push_back({.file = socket_.number()});
  for (const Client& client : clients_)
    watched.push_back({.file = client.socket.number(), .to_write = wants_to_write(client)});
}

void LocalServer::serve() {
  while (auto socket = platform::accept_client(socket_.number()))
    clients_.push_back({.socket = *std::move(socket), .message = nullptr, .last = nullptr});
  std::erase_if(clients_, [&](Client& client) { return !serve(client); });
}

bool LocalServer::serve(Client& client) const {
  // Clients say nothing; what can be read is the end of the connection.
  std::array<std::byte, 64> ignored;
  const auto got = platform::receive_some(client.socket.number(), ignored, false);
  if (got ? *got == 0 : got.error() != EAGAIN) return false;
  while (wants_to_write(client)) {
    if (!client.message) client.message = newest_;
    const Bytes bytes = std::as_bytes(std::span(*client.message)).subspan(client.sent);
    const auto sent = platform::send_some(client.socket.number(), bytes);
    if (!sent) return sent.error() == EAGAIN;
    client.sent += *sent;
    if (*sent < bytes.size()) continue;
    client.last = std::exchange(client.message, nullptr);
    client.sent = 0;
  }
  return true;
}

}  // namespace slipway
