// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The Vulkan layer of this installation, for processes that are started from here.
#pragma once

#include "base/diagnostic.hpp"
#include "cli/command_line.hpp"

namespace slipway::cli {

// Sets the variables by which Vulkan loaders find and enable the layer. Errors: file-not-found, if it is not installed.
Result<> set_layer_environment();

// `slipway layer certify`; the arguments after it.
int certify_verb(const Arguments& arguments);

}  // namespace slipway::cli
