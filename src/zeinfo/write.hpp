// Values to canonical text, byte for byte what the compiler writes (ZE Info page, 3.5).
#pragma once

#include <string>

#include "base/diagnostic.hpp"
#include "zeinfo/model.hpp"

namespace slipway::zeinfo {

// In the form of `version`, which decides between mappings (from 1.7 on) and the older one-item sequences; the
// document's own version is what the text declares. Errors: invalid-utf8 (a string cannot be written), placed nowhere.
// Documents with reader errors have no canonical form; whoever writes them loses what was wrong.
Result<std::string> write(const Document& document);

// One scalar as YAML, quoted where it must be. Errors: invalid-utf8.
Result<std::string> write_string(std::string_view text);

}  // namespace slipway::zeinfo
