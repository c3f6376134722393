// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A temporary directory that is removed with its owner.
#pragma once

#include <filesystem>

#include "platform/file.hpp"

namespace slipway::testing {

class ScratchDirectory {
 public:
  ScratchDirectory() {
    path_ = platform::make_temporary_directory(std::filesystem::temp_directory_path() / "slipway-test-XXXXXX").value();
  }
  ScratchDirectory(const ScratchDirectory&) = delete;
  ScratchDirectory& operator=(const ScratchDirectory&) = delete;
  ~ScratchDirectory() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }

  const std::filesystem::path& path() const { return path_; }
  std::filesystem::path operator/(const std::filesystem::path& name) const { return path_ / name; }

 private:
  std::filesystem::path path_;
};

}  // namespace slipway::testing
