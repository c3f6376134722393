// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "sandbox/wire.hpp"

#include <chrono>
#include <optional>
#include <string_view>
#include <thread>
#include <vector>

#include "platform/channel.hpp"
#include "sandbox/sandbox.hpp"

namespace slipway::sandbox {

Greeting greeting() {
  Greeting made{};
  made.protocol = kProtocol;
  constexpr std::string_view kVersion = SLIPWAY_VERSION;
  kVersion.copy(made.version, sizeof made.version - 1);
  return made;
}

Ended end_worker(int process, bool patience) {
  constexpr int kPatience = 200;  // milliseconds
  using enum platform::Waiting;
  std::optional<platform::ProcessEnd> gone;
  for (int i = 0; patience && i < kPatience && !gone; ++i) {
    gone = platform::end_of_process(process, No);
    if (!gone) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  const bool killed = !gone;
  if (killed) {
    platform::kill_process(process);
    gone = platform::end_of_process(process, Yes);
  }
  return {.how = *gone, .killed = killed};
}

bool send_message(int socket, Header header, std::span<const Bytes> parts) {
  header.size = 0;
  std::vector<Bytes> whole = {std::as_bytes(std::span(&header, 1))};
  for (const Bytes part : parts) header.size += part.size();
  whole.append_range(parts);
  return platform::send_all(socket, whole);
}

bool receive_all(int socket, MutableBytes to) {
  while (!to.empty()) {
    const std::size_t count = platform::receive_some(socket, to, true).value_or(0);
    if (count == 0) return false;
    to = to.subspan(count);
  }
  return true;
}

void put_text(ByteWriter& to, std::string_view text) { to.write(std::uint64_t{text.size()}).append(text); }

std::string get_text(ByteReader& from) {
  const auto size = from.read<std::uint64_t>();
  return std::string(text_of(from.take(size)));
}

}  // namespace slipway::sandbox
