// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The code of a resolved function as RPL text.
#pragma once

#include <string>

#include "rpl/resolved.hpp"

namespace slipway::rpl {

// The statements of the body, indented by four spaces, each on lines of its own.
std::string print_code(const Resolved& resolved, const Function& function);

}  // namespace slipway::rpl
