// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Rules of the kernel for this process and for those that it starts. Nothing takes them back.
#pragma once

#include <vector>

#include "base/system/files.hpp"

namespace slipway {

// Files, or directories with all that is below them. What does not exist is left out.
struct FileRules {
  std::vector<Path> read;
  std::vector<Path> write;    // and read
  std::vector<Path> execute;  // and read: as programs; shared objects need `read` only
  std::vector<Path> devices;  // read, write and control
};

// Forbids all other files, and TCP, by landlock. False if the kernel has no landlock; nothing is forbidden then.
bool restrict_files(const FileRules& rules);

// Forbids sockets except those between processes of this machine, by a filter of system calls. False if the kernel has
// no filters, or the machine is neither x86-64 nor AArch64.
bool forbid_network();

}  // namespace slipway
