// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The messages between a process, its zygote and the workers that the zygote forks. Inside this module only.
//
//   caller -> zygote   Begin, at once          zygote -> caller   Greeting
//   caller -> zygote   Fork                    zygote -> caller   Forked, with one end of the worker's socket
//                      (of the next worker while the caller has no request yet)
//                                            worker -> caller   Hello: what protects it
//   caller -> worker   Request                 worker -> caller   questions, then a reply
//   caller -> zygote   End                     zygote -> caller   Ended, if it is asked for
//
// Without fork a worker is its own zygote: it gets the order Fork first, and sends the greeting before Hello.
#pragma once

#include <chrono>
#include <cstdint>
#include <span>
#include <string_view>

#include "base/bytes.hpp"
#include "platform/confine.hpp"
#include "platform/process.hpp"

namespace slipway::sandbox {

// The socket of the zygote, and of a worker.
inline constexpr int kSocket = 3;

// Increment when a message or the request or reply of any service changes.
inline constexpr std::uint32_t kProtocol = 4;

constexpr std::uint32_t number_of(std::string_view service) {
  std::uint32_t hash = 2166136261;  // FNV-1a
  for (const char c : service) hash = (hash ^ static_cast<unsigned char>(c)) * 16777619;
  return hash;
}

// --- the zygote: packets -------------------------------------------------------------------------------------------

struct Greeting {
  std::uint32_t protocol;
  char version[20];
};
Greeting greeting();

struct Order {
  enum class Kind : std::uint32_t { Begin, Fork, End } kind;
  std::int32_t process = 0;  // Begin: the caller; End: the worker
  // Fork: of what the worker needs to be prepared; 0: of nothing. Its request names the service.
  std::uint32_t service = 0;  // `number_of` it
  std::uint32_t variant = 0;
  std::uint64_t memory = 0, seconds = 0;  // Fork: the limits
  bool answer = false;                    // End: send `Ended`
  bool patience = false;                  // End: it may be about to end by itself
};

struct Forked {
  std::int32_t process = -1;
  std::int32_t error = 0;  // of errno, if there is no process
};

struct Ended {
  platform::ProcessEnd how;
  bool killed = false;  // it had not ended
};
// Ends a worker that this process has started.
Ended end_worker(int process, bool patience);

// --- a worker: a stream ---------------------------------------------------------------------------------------------

// What protects a worker.
using Hello = platform::Confinement;

// The text of a worker whose memory is exhausted.
inline constexpr std::string_view kNeedsMemory = "needs more memory than it may use";

enum class Message : std::uint32_t {
  Request,  // to the worker
  Ask,      // from the worker
  Answer,   // to it
  Reply,    // from it
  Failed,   // from it: an exception; the text
};

struct Header {
  Message message;
  std::uint32_t service = 0;  // of a request: `number_of` it
  std::uint64_t size = 0;     // of the bytes that follow
};

// Returns false when the other side has closed its end, or after an error.
bool send_message(int socket, Header header, std::span<const Bytes> parts);
bool receive_all(int socket, MutableBytes to);

}  // namespace slipway::sandbox
