// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Checks the text of a document in an editor, as `slipway check` checks a file.
#pragma once

#include <optional>

#include "base/diagnostic.hpp"
#include "base/system/files.hpp"

namespace slipway::cli {

// Of scenarios, recipes, profiles and ZE Info (text and JSON). Nothing for a document of another format, and for JSON
// that may be of another program. `path` is that of the document, and may be empty; the files that it names are not
// opened, because they may be large and change without notice. The diagnostics are at locations in `source` where they
// have locations in its text.
std::optional<Diagnostics> check_document(const SourcePtr& source, const Path& path);

}  // namespace slipway::cli
