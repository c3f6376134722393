// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// HLSL is written for the compiler dxc, which has more attributes, and more forms of them, than glslang.
#pragma once

#include <string>
#include <string_view>

#include "base/diagnostic.hpp"

namespace slipway::shader {

// The text with forms that glslang reads: a list `[[a, b]]` becomes `[[a]] [[b]]`, and a variable of a structure with
// `[[vk::push_constant]]` becomes the only member of a `cbuffer` with that attribute. Lines keep their numbers.
std::string adapt_attributes(std::string_view text);

// What a message about an attribute that glslang ignores becomes.
enum class IgnoredAttribute { None, Harmless, Warning, Error };
IgnoredAttribute ignored_attribute(const Diagnostic& message);

}  // namespace slipway::shader
