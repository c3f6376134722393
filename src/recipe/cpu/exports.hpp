// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reads the exports of a shared library from its file, without loading it: `check` never runs a library's code.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "base/bytes.hpp"
#include "base/diagnostic.hpp"

namespace slipway::recipe::cpu {

// Which of `names` are defined symbols of a 64-bit ELF file's dynamic symbol table, or exports of a 64-bit DLL, in the
// order given. Errors: file-format, file-truncated with byte ranges in `file`.
Result<std::vector<bool>> find_exports(Bytes bytes, std::string_view file, std::span<const std::string_view> names);

// Reports why loading would fail: the file is not a library for this system, or has no `library_init`.
void check_library_file(Bytes bytes, std::string_view file, const SourceLocation& location, Diagnostics& diagnostics);

}  // namespace slipway::recipe::cpu
