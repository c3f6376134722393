// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Runs parsers and compilers of other projects in processes of their own (docs/design/sandbox.md).
//
//   const sandbox::Service kValidate = {"spirv-validate", "the SPIR-V validator", run_validator};   // bytes to bytes
//   auto reply = sandbox::call(kValidate, {bytes});
//   if (!reply) diagnostics.error(reply.error().kind(DiagnosticKind::FileFormat), ..., reply.error().text);
//
// The first call starts a process that reads no input, the zygote. It forks a worker for each call, which sees one
// request and ends: no call can change the reply of another one. A worker gets bytes only: it opens no file and no
// socket, and has limits of memory, CPU time and stack. A crash or a limit ends that worker, and is the error of the
// call. Several threads may call at once.
//
// A call never runs in the calling process because a worker cannot start or lacks a protection: that is an error
// (`SandboxMode`). It runs there if the mode is `Off`, and in programs that link this module without `enable`: tests
// and fuzzers.
#pragma once

#include <chrono>
#include <cstdint>
#include <expected>
#include <functional>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.hpp"
#include "base/diagnostic.hpp"
#include "slipway/sandbox.hpp"

namespace slipway::sandbox {

// What a service asks the process that called it, for example the text of an included file. The caller must not believe
// that the request makes the service ask this.
using Ask = std::function<std::vector<std::byte>(Bytes question)>;

struct Service {
  std::string_view id;
  std::string_view name;  // in messages: "the SPIR-V validator"
  // Both the request and the answers are trusted; the reply is not.
  std::vector<std::byte> (*run)(Bytes request, const Ask& ask);
  // Does in the zygote, once for each variant, what every worker would have to do before it reads its request.
  void (*prepare)(std::uint32_t variant) = nullptr;
};

struct Limits {
  std::uint64_t memory;       // bytes of address space
  std::chrono::seconds time;  // of the CPU
};
// In proportion to the size of a request.
Limits default_limits(std::size_t request_size);

struct CallOptions {
  Ask answer = {};
  std::optional<Limits> limits = {};  // else the default ones
  std::uint32_t variant = 0;          // of what the service prepares
};

struct CallError {
  // The error of the input, or of the sandbox, which could not run the service or only with limits of the user.
  enum class Cause : std::uint8_t { Input, Sandbox };
  Cause cause = Cause::Input;
  std::string text;  // a clause, such as "MLIR crashed (signal 11, Segmentation fault)"

  DiagnosticKind kind(DiagnosticKind of_input) const {
    return cause == Cause::Input ? of_input : DiagnosticKind::SandboxFailed;
  }
};

// Replies must be read as untrusted bytes. The request is the concatenation of `parts`; in the sandbox it begins at a
// page boundary.
std::expected<std::vector<std::byte>, CallError> call(const Service& service, std::initializer_list<Bytes> parts,
                                                      const CallOptions& options = {});

// In the order of SandboxMode.
inline constexpr std::string_view kModeNames[] = {"default", "off", "best-effort", "required"};
std::optional<SandboxMode> mode_of(std::string_view name);
// For all later calls of this process. Nothing, as initially: SLIPWAY_SANDBOX names the mode.
void set_mode(std::optional<SandboxMode> mode);

// Receives a warning about missing protections, once, on the thread of the call. Initially warnings are lost.
void set_warning_handler(void (*handler)(const std::string& text));

// Makes this process start its zygote by this command. The program calls it with `platform::own_command`.
void enable(std::vector<std::string> command);

// The life of a zygote. Returns the exit status.
int serve(std::span<const Service* const> services);

// How workers are protected on this machine.
struct Protection {
  bool off = false;      // by the mode
  bool running = false;  // workers start, and the mode accepts their protections
  std::string failure;   // why they do not
  bool limits = false;   // memory, time, stack, descriptors
  bool calls = false;    // a worker can make few system calls
  bool files = false;    // a worker can open no file
};
Protection protection();

// Texts in requests and replies.
void put_text(ByteWriter& to, std::string_view text);
std::string get_text(ByteReader& from);

}  // namespace slipway::sandbox
