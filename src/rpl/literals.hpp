// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Constants as the language writes them.
#pragma once

#include <string>

#include "rpl/resolved.hpp"

namespace slipway::rpl {

// `1.5`, `1.0e+20`, `-0.5`: at least one digit on both sides of the point.
std::string float_literal(float value);
// `"a \"word\""`
std::string string_literal(std::string_view text);
// `12u`, `-3`, `f3 {1.0, 2.0, 3.0}`; booleans, which code cannot write, as comparisons.
std::string constant_text(const Resolved& resolved, const Constant& constant);

}  // namespace slipway::rpl
