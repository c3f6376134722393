// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The shell that runs commands of users: `sh`, on Windows `cmd.exe`.
#pragma once

#include <string>
#include <vector>

namespace slipway::platform {

// Starts the shell with a line of text, as it is.
std::vector<std::string> shell_command(const std::string& line);
// A word for such a line.
std::string shell_word(const std::string& word);

}  // namespace slipway::platform
