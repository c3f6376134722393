// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Shared objects that the program loads while it runs: where they are, and whether other users may have changed them.
#pragma once

#include <expected>
#include <string>
#include <string_view>

#include "base/system/files.hpp"

namespace slipway {

// The file that the code of this program or library is in; empty if it is unknown.
Path own_file();

// Why code of the file must not be loaded: it, or a directory on the way to it, belongs to a user other than root, this
// user and the owner of `program`, or all users, or another group, may write to it. Empty if it may be loaded. The
// directories of the program itself are not examined: who can change them can change the program.
std::string distrust(const Path& file, const Path& program = own_file());

// A shared object of the installation: beside the program, in `slipway` there, or in `slipway` of the directory of
// libraries that belongs to the program's `bin`. Nothing outside the installation is searched. The failure is why it
// may not be loaded, or empty if it is missing.
std::expected<Path, std::string> installed_module(std::string_view file_name, const Path& program = own_file());

}  // namespace slipway
