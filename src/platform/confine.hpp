// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a process gives up, for itself and for those that it starts. Nothing takes it back.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string_view>
#include <vector>

namespace slipway::platform {

// --- the program -----------------------------------------------------------------------------------------------------

// Files, or directories with all that is below them. What does not exist is left out.
struct FileRules {
  std::vector<std::filesystem::path> read;
  std::vector<std::filesystem::path> write;    // and read
  std::vector<std::filesystem::path> execute;  // and read: as programs; shared objects need `read` only
  std::vector<std::filesystem::path> devices;  // read, write and control
};
// What drivers and the C library use.
FileRules rules_of_system();
// Forbids all other files, and TCP, by landlock. False if the system has no such rules; nothing is forbidden then.
bool restrict_files(const FileRules& rules);
// Forbids sockets except those between processes of this machine, by a filter of system calls. False if the system has
// no filters, or the machine is neither x86-64 nor AArch64.
bool forbid_network();

// --- the sandbox -----------------------------------------------------------------------------------------------------

// What keeps a worker from files, and from other calls of the system.
struct ProtectionNames {
  std::string_view files, calls;
};
ProtectionNames protection_names();

enum class ProtectionState : std::uint8_t { Held, NotBuilt, Lacking, Failed };
struct Protected {
  ProtectionState barrier = ProtectionState::Failed;
  std::int32_t error = 0;  // of errno
};
// What a worker inherits of its zygote.
struct Inherited {
  Protected files, calls;
};
// In the zygote: no signals of the terminal, no new privileges, no files, few system calls.
Inherited confine_zygote();

struct Confinement {
  // Lacking: the kernel, or what emulates it, does not have the protection.
  Protected limits, files, calls, parent;
  // What holds: a limit of the user may be lower than the one of the call.
  std::uint64_t memory = 0, seconds = 0;
};
// In a worker, once: limits, then the filter of system calls. `zygote` is its parent.
Confinement confine_worker(std::int32_t zygote, const Inherited& inherited, std::uint64_t memory,
                           std::uint64_t seconds);

}  // namespace slipway::platform
