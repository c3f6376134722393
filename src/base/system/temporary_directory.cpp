// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/system/temporary_directory.hpp"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <string>
#include <utility>

#include "base/format.hpp"

namespace slipway {

Result<TemporaryDirectory> TemporaryDirectory::make(std::string_view purpose) {
  std::error_code error;
  std::string pattern =
      (std::filesystem::temp_directory_path(error) / formatted("slipway-{}-XXXXXX", purpose)).native();
  if (error || !::mkdtemp(pattern.data())) {
    return fail(DiagnosticKind::FileUnwritable, SourceLocation::in_file(pattern),
                formatted("cannot make a temporary directory: {}", error ? error.message() : std::strerror(errno)));
  }
  return TemporaryDirectory(pattern);
}

TemporaryDirectory::TemporaryDirectory(Path path) : path_(std::move(path)) {}

TemporaryDirectory::TemporaryDirectory(TemporaryDirectory&& from) noexcept : path_(std::exchange(from.path_, {})) {}

TemporaryDirectory::~TemporaryDirectory() {
  std::error_code ignored;
  if (!path_.empty()) std::filesystem::remove_all(path_, ignored);
}

}  // namespace slipway
