// The one JSON shape of diagnostics (schema/diagnostics.schema.json).
#pragma once

#include <span>
#include <string>

#include "base/diagnostic.hpp"
#include "json/writer.hpp"

namespace slipway::json {

// {"diagnostics": [...], "errors": n, "warnings": n}
std::string diagnostics_text(std::span<const Diagnostic> diagnostics);
// The members of that object, into an object that is being written.
void write_diagnostics(Writer& out, std::span<const Diagnostic> diagnostics);

}  // namespace slipway::json
