// Values to canonical text, byte for byte what the compiler writes (ZE Info page, 3.5).
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/diagnostic.hpp"
#include "zeinfo/model.hpp"

namespace slipway::zeinfo {

// In the form of `version`, which decides between mappings (from 1.7 on) and the older one-item sequences; the
// document's own version is what the text declares. Errors: invalid-utf8 (a string cannot be written), placed nowhere.
// Documents with reader errors have no canonical form; whoever writes them loses what was wrong. What a text of a newer
// version has and this program does not know is not lost but refused: version-newer.
Result<std::string> write(const Document& document);

// The first key or value of a newer version that the model does not hold; nothing when it holds the whole text.
std::optional<std::string_view> not_understood(const Document& document);

// One scalar as YAML, quoted where it must be. Errors: invalid-utf8.
Result<std::string> write_string(std::string_view text);

}  // namespace slipway::zeinfo
