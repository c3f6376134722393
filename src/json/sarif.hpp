// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Diagnostics as SARIF 2.1.0, for code review tools and editors.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "base/diagnostic.hpp"

namespace slipway::json {

// `version` is that of the program.
std::string sarif_text(std::span<const Diagnostic> diagnostics, std::string_view version);

}  // namespace slipway::json
