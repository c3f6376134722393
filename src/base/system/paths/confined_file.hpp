// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reads files that an untrusted file names: they must be in a directory or below it (place.hpp).
#pragma once

#include <expected>
#include <memory>

#include "base/system/files.hpp"
#include "base/system/paths/place.hpp"

namespace slipway {

struct ConfinedFile {
  Bytes bytes;
  std::shared_ptr<const void> owner;  // of the mapping
  bool has_other_names = false;       // other directory entries for the same file: hard links
};

// `location` is relative to the directory. With `follow_links` links may lead anywhere. Nothing that is not a regular
// file is opened, so that no pipe blocks and no device acts. The file may become shorter later (shrunk_files.hpp).
std::expected<ConfinedFile, ConfinedFailure> map_confined_file(const Path& directory, const Path& location,
                                                               bool follow_links);

// As map_file and read_text, of a path that begins with the directory. Errors also: path-outside.
Result<MappedFile> map_file_below(const Path& directory, const Path& path);
Result<std::string> read_text_below(const Path& directory, const Path& path);

}  // namespace slipway
