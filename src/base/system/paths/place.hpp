// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Opens files through the handle of a directory: names that an untrusted file gives, which must not leave a directory,
// and outputs, which must not follow the links of other users.
//
// The kernel resolves a name below a directory (openat2, RESOLVE_BENEATH), so that neither `..` nor a link leads out of
// it, also while another process changes it. A check of the path as text would know neither links whose target does not
// exist yet nor what changes after the check.
#pragma once

#include <cstdint>
#include <expected>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "platform/file.hpp"

namespace slipway {

using Path = std::filesystem::path;  // as in files.hpp, which uses this header

using platform::OwnedDescriptor;

// --- names that must not leave a directory ---------------------------------------------------------------------------

// The failure is an errno: EXDEV for a name that leads out.
std::expected<OwnedDescriptor, int> open_beneath(int directory, const Path& name, unsigned flags);
// The same without openat2, which the kernel may lack: opens one component after the other.
std::expected<OwnedDescriptor, int> walk_beneath(int directory, const Path& name, unsigned flags);

enum class ConfinedFault : std::uint8_t {
  Outside,     // the location is absolute or has `..`, or is not a location at all (it is empty, or has a NUL)
  Link,        // a link on the way leads out of the directory; or an output is a link
  NotRegular,  // a directory, a pipe, a device
  System,      // the system call failed with `error`
};
struct ConfinedFailure {
  ConfinedFault fault = ConfinedFault::System;
  int error = 0;  // an errno
};

// Whether a name is relative and has no `..`.
bool is_relative_and_below(const Path& location);
// The path relative to the directory with which it begins. This only makes a name: opening it below the directory
// decides whether it leads there.
Path name_below(const Path& directory, const Path& path);
// The directory itself; an empty one is the current one.
std::expected<OwnedDescriptor, int> open_directory(const Path& directory);

// What would refuse the path, which need not exist, before it is opened: Outside or Link.
std::optional<ConfinedFault> fault_of_input(const Path& directory, const Path& path);
std::optional<ConfinedFault> fault_of_output(const Path& directory, const Path& path);

// --- outputs ---------------------------------------------------------------------------------------------------------

// Where a file is or will be: its directory, open, and its name there.
struct Place {
  std::shared_ptr<const OwnedDescriptor> directory;  // shared by the places of a directory
  std::string name;
};
// Of what follows, beside those of errno. error_text() explains them.
inline constexpr int kForeignLink = 1 << 16, kForeignFile = kForeignLink + 1;
std::string error_text(int error);

struct PlaceOptions {
  bool make_directories = false;  // those that are missing on the way
  bool keep_open_files = false;   // does not follow the names of open files, whose targets may have no name any more
};
// Links on the path are followed, except those of another user in a directory to which all users may write. The kernel
// has this rule (fs.protected_symlinks) for links at the end of a path only, and for those that it follows itself.
std::expected<Place, int> place_of(const Path& path, const PlaceOptions& options);
// A place below a directory; makes the directories that are missing. The file itself may not be a link.
std::expected<Place, ConfinedFailure> place_below(const Path& directory, const Path& path);
// Whether an open file may be changed: not one of another user in a directory to which all users may write
// (fs.protected_regular).
bool may_change(const Place& place, int file);
// The same of the file at the place, which another one will replace.
bool may_replace(const Place& place, const platform::FileStatus& file);

}  // namespace slipway
