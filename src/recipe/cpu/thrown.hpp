// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The text of the exception that is being handled, for handlers of `...` around foreign code.
#pragma once

#include <string>

namespace slipway::recipe::cpu {

// Must be called inside a handler. Nested exceptions follow after colons; an exception that is not a std::exception is
// described by its type.
std::string thrown_text();

}  // namespace slipway::recipe::cpu
