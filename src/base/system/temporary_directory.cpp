// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/system/temporary_directory.hpp"

#include <cstring>
#include <filesystem>
#include <string>
#include <utility>

#include "base/format.hpp"
#include "platform/file.hpp"

namespace slipway {

Result<TemporaryDirectory> TemporaryDirectory::make(std::string_view purpose) {
  std::error_code error;
  const Path pattern = std::filesystem::temp_directory_path(error) / formatted("slipway-{}-XXXXXX", purpose);
  const auto made = error ? std::unexpected(error.value()) : platform::make_temporary_directory(pattern);
  if (!made) {
    return fail(DiagnosticKind::FileUnwritable, SourceLocation::in_file(pattern.string()),
                formatted("cannot make a temporary directory: {}", std::strerror(made.error())));
  }
  return TemporaryDirectory(*made);
}

TemporaryDirectory::TemporaryDirectory(Path path) : path_(std::move(path)) {}

TemporaryDirectory::TemporaryDirectory(TemporaryDirectory&& from) noexcept : path_(std::exchange(from.path_, {})) {}

TemporaryDirectory::~TemporaryDirectory() {
  std::error_code ignored;
  if (!path_.empty()) std::filesystem::remove_all(path_, ignored);
}

}  // namespace slipway
