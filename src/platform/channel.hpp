// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Streams between processes, and waiting for them. Failures are numbers of <cerrno>.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <span>

#include "platform/file.hpp"

namespace slipway::platform {

// From the second end to the first one.
Opened<std::array<OwnedDescriptor, 2>> make_pipe();
// Both ways: bytes, or packets that arrive as a whole.
enum class ChannelKind : std::uint8_t { Stream, Packets };
Opened<std::array<OwnedDescriptor, 2>> make_channel(ChannelKind kind);

// Reads do not wait any more.
void do_not_wait(int file);
// A send fails when the other side has not received for this time.
void limit_sending(int channel, std::chrono::seconds time);
void end_sending(int channel);

// A peer that has ended is a failure, not a signal. `file`: a copy of it goes with the packet.
bool send_all(int channel, std::span<const std::span<const std::byte>> parts);
bool send_packet(int channel, std::span<const std::byte> packet, int file = -1);
// What is there, or nothing at the end. Without `waits`: EAGAIN if nothing is there yet.
Opened<std::size_t> receive_some(int channel, std::span<std::byte> to, bool waits);
bool receive_packet(int channel, std::span<std::byte> packet, int* file = nullptr);

struct Watched {
  int file = -1;  // -1: none
  bool is_ready = false;
  bool to_write = false;  // also until it takes bytes
};
// Until one of them has bytes or has ended. Returns how many; 0 after the time, or a number below 0 after a signal. A
// time below 0 has no end.
int wait_for_any(std::span<Watched> files, int milliseconds);

}  // namespace slipway::platform
