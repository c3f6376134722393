// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Runs parsers and compilers of other projects in a process of their own (docs/design/sandbox.md).
//
//   const sandbox::Service kValidate = {"spirv-validate", "the SPIR-V validator", run_validator};   // bytes to bytes
//   auto reply = sandbox::call(kValidate, {bytes});
//   if (!reply) diagnostics.error(..., reply.error());    // "the SPIR-V validator crashed (signal 11, ...)"
//
// The process is started at the first call, and serves all calls after that. It gets bytes only: it opens no file and
// no socket, and has limits of memory, CPU time and stack. A crash or a limit ends that process, and is the error of
// the call; the next call starts another one. Several threads may call at once; each concurrent call has its own
// process.
//
// `call` runs a service in the calling process if no sandbox is available: in tests and fuzzers, in programs that use
// the library where the program `slipway` is not installed beside it, and if SLIPWAY_SANDBOX is `off`.
#pragma once

#include <chrono>
#include <cstdint>
#include <expected>
#include <functional>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.hpp"

namespace slipway::sandbox {

// What a service asks the process that called it, for example the text of an included file.
using Ask = std::function<std::vector<std::byte>(Bytes question)>;

struct Service {
  std::string_view id;
  std::string_view name;  // in messages: "the SPIR-V validator"
  // Both the request and the answers are trusted; the reply is not.
  std::vector<std::byte> (*run)(Bytes request, const Ask& ask);
};

struct Limits {
  std::uint64_t memory;       // bytes of address space
  std::chrono::seconds time;  // of the CPU
};
// In proportion to the size of a request.
Limits default_limits(std::size_t request_size);

// Replies must be read as untrusted bytes. The request is the concatenation of `parts`; in the sandbox it begins at a
// page boundary. The error is a clause, such as "MLIR crashed (signal 11, Segmentation fault)".
std::expected<std::vector<std::byte>, std::string> call(const Service& service, std::initializer_list<Bytes> parts,
                                                        const Ask& answer = {});
std::expected<std::vector<std::byte>, std::string> call(const Service& service, std::initializer_list<Bytes> parts,
                                                        const Ask& answer, const Limits& limits);

// Makes this process start sandbox processes by this command. The program calls it with `own_command`.
void enable(std::vector<std::string> command);

// The command that starts this program again: its path or, in a bundle, its loader and options, then the path.
std::vector<std::string> own_command();

// The life of a sandbox process. Returns the exit status.
int serve(std::span<const Service* const> services);

// How a sandbox process is protected on this machine, beside its limits.
struct Protection {
  bool running = false;   // whether calls use a sandbox
  bool seccomp = false;   // the process can make few system calls
  bool landlock = false;  // the process can open no file
};
Protection protection();

// Texts in requests and replies.
void put_text(ByteWriter& to, std::string_view text);
std::string get_text(ByteReader& from);

}  // namespace slipway::sandbox
