// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The name of a file.
#pragma once

#include <filesystem>

namespace slipway {

using Path = std::filesystem::path;

}  // namespace slipway
