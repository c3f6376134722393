// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Maps files that an untrusted file names: they must be in a directory or below it.
#pragma once

#include <expected>
#include <memory>

#include "base/system/files.hpp"

namespace slipway {

struct ConfinedFile {
  Bytes bytes;
  std::shared_ptr<const void> owner;  // of the mapping
  bool has_other_names = false;       // other directory entries for the same file: hard links
};

enum class ConfinedFault : std::uint8_t {
  Outside,     // the location is absolute or has `..`, or is not a location at all (it is empty, or has a NUL)
  Link,        // a link on the way leads out of the directory
  NotRegular,  // a directory, a pipe, a device
  System,      // the system call failed with `error`
};
struct ConfinedFailure {
  ConfinedFault fault = ConfinedFault::System;
  int error = 0;  // an errno
};

// `location` is relative to the directory. With `follow_links` links may lead anywhere. Nothing that is not a regular
// file is opened, so that no pipe blocks and no device acts. The file may become shorter later (shrunk_files.hpp).
std::expected<ConfinedFile, ConfinedFailure> map_confined_file(const Path& directory, const Path& location,
                                                               bool follow_links);

}  // namespace slipway
