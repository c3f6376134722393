// The text of what is being caught: for handlers of `...` around code of others.
#pragma once

#include <string>

namespace slipway::recipe::cpu {

// Only inside a handler. Nested exceptions follow after colons; what is no std::exception is named by its type.
std::string thrown_text();

}  // namespace slipway::recipe::cpu
