// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A private directory for temporary files, which is removed with its contents.
#pragma once

#include <string_view>

#include "base/system/files.hpp"

namespace slipway {

class TemporaryDirectory {
 public:
  // Makes a directory of a new name that only this user can read, in the directory for temporary files (TMPDIR).
  // Failure: FileUnwritable.
  static Result<TemporaryDirectory> make(std::string_view purpose);

  TemporaryDirectory(TemporaryDirectory&& from) noexcept;
  TemporaryDirectory& operator=(TemporaryDirectory&&) = delete;
  ~TemporaryDirectory();

  const Path& path() const { return path_; }

 private:
  explicit TemporaryDirectory(Path path);

  Path path_;  // empty: moved from
};

}  // namespace slipway
