// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cli/directories.hpp"

#include <algorithm>
#include <filesystem>

#include "base/format.hpp"

namespace slipway::cli {
namespace {

constexpr std::size_t kMaxSearched = 1000;  // files, for a hint

// A file that `takes` accepts, or an empty string.
std::string find_below(const std::string& directory, bool (*takes)(const Content&)) {
  namespace fs = std::filesystem;
  std::error_code error;
  std::size_t searched = 0;
  std::vector<Path> files;
  for (fs::recursive_directory_iterator at(directory, fs::directory_options::skip_permission_denied, error), end;
       !error && at != end && searched < kMaxSearched; at.increment(error)) {
    std::error_code ignored;
    if (++searched; at->is_regular_file(ignored)) files.push_back(at->path());
  }
  std::ranges::sort(files);
  for (const Path& file : files) {
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
    const std::string found = find_below(file, takes);
    problem.hint(found.empty() ? "no file was found in it that the verb takes"
                               : formatted("name a file in it: `slipway {} {}`", verb, found));
  }
}

}  // namespace slipway::cli
