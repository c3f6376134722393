// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Diagnostics as JSON; every verb uses this form (schema/diagnostics.schema.json).
#pragma once

#include <span>
#include <string>

#include "base/diagnostic.hpp"
#include "json/record.hpp"

namespace slipway::json {

// {"diagnostics": [...], "errors": n, "warnings": n}
std::string diagnostics_text(std::span<const Diagnostic> diagnostics);

struct DiagnosticList {
  std::span<const Diagnostic> diagnostics;
};
const Record<DiagnosticList>& diagnostics_record();
const Record<Diagnostic>& diagnostic_record();

}  // namespace slipway::json
