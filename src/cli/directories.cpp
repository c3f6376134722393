// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cli/directories.hpp"

#include "base/format.hpp"

namespace slipway::cli {
namespace {

// The first file that `takes` accepts, or an empty string.
std::string first_below(const std::string& directory, bool (*takes)(const Content&)) {
  for (const Path& file : files_below(directory)) {
    const Result<ContentOf> read = ContentOf::read(file.string());
    if (read && takes(read->content())) return file.string();
  }
  return "";
}

}  // namespace

void refuse_directories(const std::vector<std::string>& files, std::string_view verb, bool (*takes)(const Content&),
                        Diagnostics& diagnostics) {
  for (const std::string& file : files) {
    if (file == "-" || !directory_exists(file)) continue;
    Diagnostic& problem = diagnostics.error(DiagnosticKind::Usage, SourceLocation::in_file(file),
                                            formatted("`slipway {}` takes files, and this is a directory", verb));
    const std::string found = first_below(file, takes);
    problem.hint(found.empty() ? "no file in it or below it is one that the verb takes"
                               : formatted("name a file in it: `slipway {} {}`", verb, found));
  }
}

}  // namespace slipway::cli
