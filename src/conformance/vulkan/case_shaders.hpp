// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Compute shaders of several cases.
#pragma once

#include <string_view>

namespace slipway::conformance {

// One invocation copies a matrix of integers, adding a number.
inline constexpr std::string_view kIncrementShader =
    "layout(set = 0, binding = 0) uniform tensorARM<int, 2> x;\n"
    "layout(set = 0, binding = 1) uniform tensorARM<int, 2> y;\n"
    "layout(push_constant) uniform P { int by; };\n"
    "void main() { for (uint i = 0; i < tensorSizeARM(x, 0); ++i) for (uint j = 0; j < tensorSizeARM(x, 1); ++j) {\n"
    "  int v; tensorReadARM(x, uint[](i, j), v); tensorWriteARM(y, uint[](i, j), v + by); } }\n";

// One invocation copies a list of integers, adding a number.
inline constexpr std::string_view kAddOneShader =
    "layout(set = 0, binding = 0) uniform tensorARM<int, 1> x;\n"
    "layout(set = 0, binding = 1) uniform tensorARM<int, 1> y;\n"
    "layout(constant_id = 7) const int by = 1;\n"
    "void main() { for (uint i = 0; i < tensorSizeARM(x, 0); ++i) {\n"
    "  int v; tensorReadARM(x, uint[](i), v); tensorWriteARM(y, uint[](i), v + by); } }\n";

}  // namespace slipway::conformance
