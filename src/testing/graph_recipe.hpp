// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The recipe (testing/vgf_recipe.hpp) of a model with one graph, of one operator.
#pragma once

#include <string>
#include <string_view>

#include "base/format.hpp"

namespace slipway::testing {

// From an input to an output of the same type, such as `i32[4]` in the format `R32_SINT`. `operation` makes the output
// of the input, %0: `ABS(%0) i32[4]`.
inline std::string graph_recipe(std::string_view format, std::string_view type, std::string_view operation,
                                std::string_view input = "x", std::string_view output = "y") {
  return formatted(R"(
resource x input tensor {0} {1}
resource y output tensor {0} {1}
module m graph main graph
| graph main {{
|   %0 = input {2} at 0.0
|   %1 = {3}
|   output %1 at 0.1
| }}
segment s m
set 0: 0 x, 1 y
in 0 x
out 1 y
input 0 x {4}
output 1 y {5}
)",
                   format, type.substr(type.find('[')), type, operation, input, output);
}

}  // namespace slipway::testing
