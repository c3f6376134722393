// Diagnostics as SARIF 2.1.0, the form that code review tools and editors read.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "base/diagnostic.hpp"

namespace slipway::json {

// One run of the program; `version` is the program's.
std::string sarif_text(std::span<const Diagnostic> diagnostics, std::string_view version);

}  // namespace slipway::json
