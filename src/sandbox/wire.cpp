// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "sandbox/wire.hpp"

#include <sys/socket.h>
#include <sys/uio.h>

#include <algorithm>
#include <cerrno>
#include <string_view>
#include <vector>

#include "sandbox/sandbox.hpp"

namespace slipway::sandbox {

Greeting greeting() {
  Greeting made{};
  made.protocol = kProtocol;
  constexpr std::string_view kVersion = SLIPWAY_VERSION;
  kVersion.copy(made.version, sizeof made.version - 1);
  return made;
}

bool send_message(int socket, Header header, std::span<const Bytes> parts) {
  header.size = 0;
  std::vector<Bytes> whole = {std::as_bytes(std::span(&header, 1))};
  for (const Bytes part : parts) header.size += part.size();
  whole.append_range(parts);
  return send_all(socket, whole);
}

bool send_all(int socket, std::span<const Bytes> parts) {
  std::vector<iovec> pieces;
  for (const Bytes part : parts) {
    if (!part.empty()) pieces.push_back({const_cast<std::byte*>(part.data()), part.size()});
  }
  for (std::size_t first = 0; first < pieces.size();) {
    msghdr message{};
    message.msg_iov = &pieces[first];
    message.msg_iovlen = std::min<std::size_t>(pieces.size() - first, 64);
    const ssize_t sent = ::sendmsg(socket, &message, MSG_NOSIGNAL);
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

bool receive_all(int socket, MutableBytes to) {
  while (!to.empty()) {
    const ssize_t count = ::recv(socket, to.data(), to.size(), 0);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return false;
    to = to.subspan(static_cast<std::size_t>(count));
  }
  return true;
}

void put_text(ByteWriter& to, std::string_view text) { to.write(std::uint64_t{text.size()}).append(text); }

std::string get_text(ByteReader& from) {
  const auto size = from.read<std::uint64_t>();
  return std::string(text_of(from.take(size)));
}

}  // namespace slipway::sandbox
