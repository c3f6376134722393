// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The messages between a process and its sandbox process. Inside this module only.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "base/bytes.hpp"

namespace slipway::sandbox {

// The socket of the sandbox process.
inline constexpr int kSocket = 3;

// Increment when a message or the request or reply of any service changes.
inline constexpr std::uint32_t kProtocol = 1;

enum class Message : std::uint32_t {
  Hello,    // from the sandbox process, once: `Greeting`
  Request,  // to it: the request of a service
  Ask,      // from it
  Answer,   // to it
  Reply,    // from it
  Failed,   // from it: an exception; the text
};

struct Header {
  Message message;
  std::uint32_t service = 0;  // of a request: `number_of` its service
  std::uint64_t size = 0;     // of the bytes that follow
};

constexpr std::uint32_t number_of(std::string_view service) {
  std::uint32_t hash = 2166136261;  // FNV-1a
  for (const char c : service) hash = (hash ^ static_cast<unsigned char>(c)) * 16777619;
  return hash;
}

struct Greeting {
  std::uint32_t protocol;
  char version[20];
  std::uint8_t seccomp, landlock;
  std::uint8_t reserved[2];
};
Greeting greeting();  // without protections

// Returns false when the other side has closed its end, or after an error.
bool send_message(int socket, Header header, std::span<const Bytes> parts);
bool receive_all(int socket, MutableBytes to);

// Sets limits and filters that hold until the end of this process.
struct Confined {
  bool seccomp = false, landlock = false;
};
Confined confine_process();

}  // namespace slipway::sandbox
