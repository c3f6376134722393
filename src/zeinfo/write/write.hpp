// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Writes values as canonical text, byte for byte as the compiler does (docs/spec/zeinfo.md#canonical-form).
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/diagnostic.hpp"
#include "zeinfo/model.hpp"

namespace slipway::zeinfo {

// Writes the form of `version`, which selects between mappings (from 1.7 on) and the older one-item sequences; the text
// declares the document's own version. Errors, without a location: invalid-utf8 (a string cannot be written);
// version-newer (a text of a newer version has content that this program does not know). Documents with reader errors
// have no canonical form; writing them loses the invalid parts.
Result<std::string> write(const Document& document);

// The first key or value of a newer version that the model does not represent; empty when it represents the whole text.
std::optional<std::string_view> not_understood(const Document& document);

// One scalar as YAML, quoted where it must be. Errors: invalid-utf8.
Result<std::string> write_string(std::string_view text);

}  // namespace slipway::zeinfo
