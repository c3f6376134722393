// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sends what changes to all programs of this machine that connect to a socket in the file system. A program that is
// slow gets the newest message after the one that it is reading.
#pragma once

#include <memory>
#include <vector>

#include "base/system/files.hpp"
#include "base/system/paths/place.hpp"
#include "platform/channel.hpp"

namespace slipway {

class LocalServer {
 public:
  using Message = std::shared_ptr<const std::vector<std::uint32_t>>;

  // Only this user may connect. A socket that no program serves any more is replaced. Errors: file-unwritable; also for
  // another kind of file, and for a socket that is served.
  static Result<LocalServer> open(const Path& path);
  LocalServer(LocalServer&&) = default;
  LocalServer& operator=(LocalServer&&) = delete;
  ~LocalServer();  // removes the socket

  // Of all clients, and of those that connect later.
  void send(Message message) { newest_ = std::move(message); }
  // What to wait for.
  void add_to(std::vector<platform::Watched>& watched) const;
  // Accepts clients and writes what they take; does not wait.
  void serve();
  std::size_t client_count() const { return clients_.size(); }

 private:
  struct Client {
    OwnedDescriptor socket;
    Message message;  // being sent
    std::size_t sent = 0;
    Message last;  // the last one that was sent
  };
  LocalServer(Path path, OwnedDescriptor socket) : path_(std::move(path)), socket_(std::move(socket)) {}
  bool wants_to_write(const Client& client) const { return client.message || client.last != newest_; }
  // False: the client has gone.
  bool serve(Client& client) const;

  Path path_;
  OwnedDescriptor socket_;
  std::vector<Client> clients_;
  Message newest_;
};

}  // namespace slipway
