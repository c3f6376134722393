// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Texts with paths, as expectations have them: without those of this machine, and with the separators of POSIX.
#pragma once

#include <filesystem>
#include <string>

namespace slipway::testing {

inline std::string without_directory(std::string text, const std::filesystem::path& directory) {
  for (std::size_t at = 0; std::filesystem::path::preferred_separator == '\\' && at < text.size(); ++at) {
    if (text[at] == '\\' && (at == 0 || text[at - 1] != '`')) text[at] = '/';  // not of `\x7fELF`
  }
  const std::string prefix = directory.generic_string() + "/";
  for (std::size_t at = 0; (at = text.find(prefix, at)) != text.npos;) text.erase(at, prefix.size());
  return text;
}

}  // namespace slipway::testing
