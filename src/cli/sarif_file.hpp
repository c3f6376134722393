// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// --sarif: the diagnostics of a verb as a SARIF file. Whatever prints diagnostics notes them; the file is written when
// the verb ends.
#pragma once

#include <span>
#include <string>

#include "base/diagnostic.hpp"

namespace slipway::cli {

// Of this process; empty: none.
void set_sarif_path(std::string path);
void note_for_sarif(std::span<const Diagnostic> diagnostics);
// Writes the file, even if there is no diagnostic.
Result<> write_sarif_file();

}  // namespace slipway::cli
