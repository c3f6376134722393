// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "platform/channel.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <vector>

namespace slipway::platform {
namespace {

Opened<std::array<OwnedDescriptor, 2>> both_of(int result, const int (&ends)[2]) {
  if (result != 0) return std::unexpected(errno);
  return std::array{OwnedDescriptor(ends[0]), OwnedDescriptor(ends[1])};
}

}  // namespace

Opened<std::array<OwnedDescriptor, 2>> make_pipe() {
  int ends[2];
  return both_of(::pipe2(ends, O_CLOEXEC), ends);
}

Opened<std::array<OwnedDescriptor, 2>> make_channel(ChannelKind kind) {
  int ends[2];
  const int type = kind == ChannelKind::Stream ? SOCK_STREAM : SOCK_SEQPACKET;
  return both_of(::socketpair(AF_UNIX, type | SOCK_CLOEXEC, 0, ends), ends);
}

void do_not_wait(int file) { ::fcntl(file, F_SETFL, ::fcntl(file, F_GETFL) | O_NONBLOCK); }

void limit_sending(int channel, std::chrono::seconds time) {
  const timeval patience{.tv_sec = time.count(), .tv_usec = 0};
  ::setsockopt(channel, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
}

void end_sending(int channel) { ::shutdown(channel, SHUT_WR); }

bool send_all(int channel, std::span<const std::span<const std::byte>> parts) {
  constexpr std::size_t kMaxPieces = 64;
  std::vector<iovec> pieces;
  for (const auto part : parts) {
    if (!part.empty()) pieces.push_back({const_cast<std::byte*>(part.data()), part.size()});
  }
  for (std::size_t first = 0; first < pieces.size();) {
    msghdr message{};
    message.msg_iov = &pieces[first];
    message.msg_iovlen = std::min(pieces.size() - first, kMaxPieces);
    const ssize_t sent = ::sendmsg(channel, &message, MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent < 0) return false;
    auto count = static_cast<std::size_t>(sent);
    for (; first < pieces.size() && count >= pieces[first].iov_len; ++first) count -= pieces[first].iov_len;
    if (count != 0) {
      pieces[first].iov_base = static_cast<char*>(pieces[first].iov_base) + count;
      pieces[first].iov_len -= count;
    }
  }
  return true;
}

bool send_packet(int channel, std::span<const std::byte> packet, int file) {
  iovec piece{const_cast<std::byte*>(packet.data()), packet.size()};
  msghdr message{};
  message.msg_iov = &piece;
  message.msg_iovlen = 1;
  alignas(cmsghdr) char space[CMSG_SPACE(sizeof file)] = {};
  if (file >= 0) {
    message.msg_control = space;
    message.msg_controllen = sizeof space;
    cmsghdr* const header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(sizeof file);
    std::memcpy(CMSG_DATA(header), &file, sizeof file);
  }
  return ::sendmsg(channel, &message, MSG_NOSIGNAL) == static_cast<ssize_t>(packet.size());
}

Opened<std::size_t> receive_some(int channel, std::span<std::byte> to, bool waits) {
  for (;;) {
    const ssize_t count = ::recv(channel, to.data(), to.size(), waits ? 0 : MSG_DONTWAIT);
    if (count >= 0) return static_cast<std::size_t>(count);
    if (errno != EINTR) return std::unexpected(errno);
  }
}

bool receive_packet(int channel, std::span<std::byte> packet, int* file) {
  iovec piece{packet.data(), packet.size()};
  alignas(cmsghdr) char space[CMSG_SPACE(sizeof(int))] = {};
  msghdr message{};
  message.msg_iov = &piece;
  message.msg_iovlen = 1;
  message.msg_control = space;
  message.msg_controllen = sizeof space;
  ssize_t count = 0;
  while ((count = ::recvmsg(channel, &message, MSG_CMSG_CLOEXEC)) < 0 && errno == EINTR) {
  }
  for (cmsghdr* each = CMSG_FIRSTHDR(&message); each; each = CMSG_NXTHDR(&message, each)) {
    if (file && each->cmsg_level == SOL_SOCKET && each->cmsg_type == SCM_RIGHTS)
      std::memcpy(file, CMSG_DATA(each), sizeof *file);
  }
  return count == static_cast<ssize_t>(packet.size());
}

int wait_for_any(std::span<Watched> files, int milliseconds) {
  std::vector<pollfd> polled;
  for (const Watched& each : files) {
    const short events = each.to_write ? POLLIN | POLLOUT : POLLIN;
    polled.push_back({.fd = each.file, .events = events, .revents = 0});
  }
  const int ready = ::poll(polled.data(), polled.size(), milliseconds);
  const int error = errno;
  for (std::size_t i = 0; i < files.size(); ++i) files[i].is_ready = ready > 0 && polled[i].revents != 0;
  polled = {};
  errno = error;  // of `poll`
  return ready;
}

}  // namespace slipway::platform
